"""Records that servers and their tools keep of speculation, and what can be said from them.

    record.py      one request's numbers, and how much they say: means, totals, rounds or tokens
    reading.py     a file of any server to records; what is cut off or broken is a sentence
    vllm.py sglang.py trtllm.py llama_cpp.py    what each of them calls what
    counters.py    the counters of /metrics, of any of them
    usage.py benchmarks.py profile.py           responses in OpenAI's form, tools, speculation profiles
    assisted.py    what our recorder around transformers writes; the recorder is models/assisted.py
    arithmetic.py  rounds, positions and calls that follow from rounded numbers, where they do
    findings.py    the records added up: histogram, survival by position, timeline, the length that had been best
    server_log.py  the findings as the Lab and the command show them: facts and charts
    lines.py       numbers in lines of text, in time that grows with the text
    words.py       everyone's names for acceptance, in ours

A number that a server did not record is None, and shown as a dash. No text of a log is kept: numbers alone.
"""
