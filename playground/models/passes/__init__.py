"""Forward passes over the nodes of a tree: transformers' own, others that are faster, and their caches.

A model is loaded with transformers' own pass, and keeps a faster one if that gives the same logits in trees (`proof`).
Why there are several, each for what no other does:

    plain      every architecture whose attention follows a mask; the truth that the others are proved against
    path       what no tree mask fits (ALiBi, chunks, recurrences): a path is a row of a batch, with its own state
    lean       a Llama-shaped model in some sixteen operations of torch a layer: any device, number format and number of
               threads; the others are this pass, with its slots
    compiled   the same for a processor in float32, on threads of our own (`team`), by numba: on one of them 1.5 to 4.2
               times the lean pass at 1 to 16 nodes, and 2.3 to 10 times with weights in 16 bits; `compiled` writes the
               loops
    block      the same on the matrices of a file in the file's own bits, 4 to 8 of GGUF or 16, for which torch has no
               product
    replayed   the same on a GPU, in CUDA graphs: 3.6 times the tokens a second of the lean pass there
    batch      the pass of one sequence in a batch: it waits for those of the others, and the lean or the compiled pass
               reads all of them together; by the compiled one each row is the same to the last bit

The products of the lean pass are torch's. Those of the compiled passes read their matrices as it was fastest when it
was timed on this machine (`tuning`).
"""
