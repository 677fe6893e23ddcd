/** All lenses; each adds itself, and they are offered in this order. */

import "./layers.js";
import "./block_draft.js";
import "./stages.js";
import "./matching.js";
import "./k_seq.js";
import "./importance.js";
import "./rollback.js";
import "./joint_ratio.js";
import "./typical.js";
import "./ensemble.js";
import "./block.js";
import "./traversal.js";
import "./lookup.js";
import "./suffix.js";
import "./token_table.js";
import "./lookahead.js";
import "./value_cut.js";
import "./places.js";
import "./beam_width.js";
import "./relaxed.js";
import "./joint_search.js";
import "./top_set.js";
import "./braid.js";
