"""A drafting head that is given as a model is called by its name; a model is none."""

import pytest

from playground.errors import PlaygroundError
from playground.models.sources.admission.heads import is_head_by, kind_of, refuse_head


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"architectures": ["LlamaForCausalLMEagle3"], "draft_vocab_size": 32000}, "EAGLE-3"),
        ({"architectures": ["LlamaForCausalLM"], "draft_vocab_size": 32000}, "EAGLE-3"),
        ({"architectures": ["Eagle3Speculator"], "speculators_model_type": "eagle3"}, "EAGLE-3"),
        ({"speculators_config": {"algorithm": "eagle"}}, "EAGLE"),
        ({"architectures": ["LlamaForCausalLMEagle"]}, "EAGLE"),
        ({"architectures": ["PEagleDraftModel"]}, "P-EAGLE"),
        ({"model_type": "medusa", "medusa_num_heads": 2}, "Medusa"),
        ({"architectures": ["DFlashDraftModel"], "dflash_config": {}}, "DFlash"),
        ({"architectures": ["DeepseekV3ForCausalLMNextN"]}, "MTP"),
        ({"architectures": ["MLPSpeculatorPreTrainedModel"]}, "speculators"),
        ({"architectures": ["DeepseekV3ForCausalLM"], "num_nextn_predict_layers": 1}, ""),
        ({"architectures": ["Eagle2_5_VLForConditionalGeneration"], "model_type": "eagle_2_5_vl"}, ""),
        ({"architectures": ["LlamaForCausalLM"]}, ""),
        ({"architectures": 7, "speculators_config": []}, ""),
    ],
)
def test_a_head_is_told_by_its_configuration(config, kind):
    assert kind_of(config) == kind


def test_a_head_without_a_name_is_told_by_its_weights():
    assert is_head_by(["lm_head.weight", "model.embed_tokens.weight"], ["fc.weight"])
    assert not is_head_by(["model.embed_tokens.weight"], ["extra.weight"])


def test_the_refusal_says_what_runs_instead(tmp_path):
    refuse_head(tmp_path, "a folder without a configuration")
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLMEagle3"]}')
    with pytest.raises(PlaygroundError, match=r"it is a drafting head \(EAGLE-3\), .* its first layers \(exit4\)"):
        refuse_head(tmp_path, "it")
