"""A drafting head that is given as a model is called by its name; a model is none."""

import pytest

from playground.models.sources.heads import head_kind, head_refused, kind_by_weights, kind_of


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"architectures": ["LlamaForCausalLMEagle3"], "draft_vocab_size": 32000}, "EAGLE-3"),
        ({"architectures": ["LlamaForCausalLM"], "draft_vocab_size": 32000}, "EAGLE-3"),
        ({"architectures": ["Eagle3Speculator"], "speculators_model_type": "eagle3"}, "EAGLE-3"),
        ({"speculators_config": {"algorithm": "eagle"}}, "EAGLE"),
        ({"architectures": ["LlamaForCausalLMEagle"]}, "EAGLE"),
        ({"architectures": ["EagleLlamaForCausalLM"], "model_type": "eagle"}, "EAGLE"),
        ({"architectures": ["EagleSpeculator"], "speculators_model_type": "eagle"}, "EAGLE"),
        ({"architectures": ["PEagleDraftModel"]}, "P-EAGLE"),
        ({"architectures": ["LlamaForCausalLMEagle3"], "ptd_token_id": 7, "draft_vocab_size": 32000}, "P-EAGLE"),
        ({"architectures": ["Qwen3DSparkModel"], "model_type": "qwen3"}, "DSpark"),
        ({"hydra_num_heads": 4, "hydra_num_layers": 1}, "Hydra"),
        ({"model_type": "medusa", "medusa_num_heads": 2}, "Medusa"),
        ({"architectures": ["DFlashDraftModel"], "dflash_config": {}}, "DFlash"),
        ({"architectures": ["DeepseekV3ForCausalLMNextN"]}, "MTP"),
        ({"architectures": ["MiMoMTPModel"], "model_type": "mimo"}, "MTP"),
        ({"architectures": ["Gemma4AssistantForCausalLM"], "model_type": "gemma4_assistant"}, "MTP"),
        ({"architectures": ["MLPSpeculatorPreTrainedModel"], "model_type": "mlp_speculator"}, "MLP speculator"),
        ({"speculators_model_type": "independent", "architectures": ["MySpeculator"]}, "speculators"),
        ({"architectures": ["DeepseekV3ForCausalLM"], "num_nextn_predict_layers": 1}, ""),
        ({"architectures": ["Eagle2_5_VLForConditionalGeneration"], "model_type": "eagle_2_5_vl"}, ""),
        ({"architectures": ["Eagle3_VLForConditionalGeneration"], "model_type": "eagle_3_vl"}, ""),
        ({"architectures": ["LlamaForCausalLM"], "pard_token": 7}, ""),  # a model that drafts in parallel elsewhere
        ({"architectures": ["LlamaForCausalLM"]}, ""),
        ({"architectures": 7, "speculators_config": []}, ""),
    ],
)
def test_a_head_is_told_by_its_configuration(config, kind):
    assert kind_of(config) == kind


def test_a_head_without_a_name_is_told_by_its_weights():
    assert kind_by_weights(["lm_head.weight", "model.embed_tokens.weight"], ["fc.weight"]) == "EAGLE"
    assert kind_by_weights(["lm_head.weight", "model.norm.weight"], ["fc.bias", "fc.weight"]) == "EAGLE"
    assert kind_by_weights(["model.norm.weight"], ["model.layers.61.eh_proj.weight"]) == "MTP"
    assert not kind_by_weights([], ["fc.weight", "model.layers.61.eh_proj.weight"])
    assert not kind_by_weights(["model.embed_tokens.weight"], ["extra.weight"])


def test_the_refusal_says_what_runs_instead(tmp_path):
    assert head_kind(tmp_path, "a folder without a configuration") == ""
    (tmp_path / "config.json").write_text('{"medusa_num_heads": 2}')
    refusal = str(head_refused("it", head_kind(tmp_path, "it")))
    assert "it is a drafting head (Medusa), " in refusal and "its first layers (exit4)" in refusal
