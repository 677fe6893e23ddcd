"""The names of transformers that this project imports, for pyright alone.

The package itself names some thousands in its own __init__, which took pyright a third of its time. A name that is
missing here is an error of pyright, not of Python; modules below the package are read as they are.
"""

from transformers.cache_utils import DynamicCache as DynamicCache
from transformers.models.auto.configuration_auto import AutoConfig as AutoConfig
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING as MODEL_FOR_CAUSAL_LM_MAPPING
from transformers.models.auto.modeling_auto import AutoModelForCausalLM as AutoModelForCausalLM
from transformers.models.auto.tokenization_auto import AutoTokenizer as AutoTokenizer
from transformers.models.llama.configuration_llama import LlamaConfig as LlamaConfig
from transformers.models.llama.modeling_llama import LlamaForCausalLM as LlamaForCausalLM
from transformers.tokenization_utils_tokenizers import PreTrainedTokenizerFast as PreTrainedTokenizerFast
from transformers.utils.quantization_config import BitsAndBytesConfig as BitsAndBytesConfig
