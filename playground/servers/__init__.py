"""Records that other servers keep of their own speculation: vLLM, SGLang, llama.cpp and transformers.

    record.py      one request's numbers, and how much they say: totals, steps or tokens
    reading.py     a file, whoever wrote it, to records; what is cut off or broken is a sentence
    vllm.py sglang.py llama_cpp.py    what each of them calls what
    assisted.py    what our recorder around transformers writes; the recorder is models/assisted.py
    findings.py    the records added up: histogram, survival by position, timeline, the length that had been best
    words.py       everyone's names for acceptance, in ours

A number that a server did not record is None, and shown as a dash. No text of a log is kept: numbers alone.
"""
