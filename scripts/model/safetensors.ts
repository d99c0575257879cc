/** The float32 tensors of a safetensors file by name. */
export function readTensors(file: Uint8Array): ReadonlyMap<string, Float32Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerLength = Number(view.getBigUint64(0, true));
  const header: Record<string, TensorEntry> = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerLength)));
  const tensors = new Map<string, Float32Array>();
  for (const [name, entry] of Object.entries(header)) {
    if (entry.dtype !== 'F32') continue;
    const [start, end] = entry.data_offsets;
    const bytes = Uint8Array.from(file.subarray(8 + headerLength + start, 8 + headerLength + end));
    tensors.set(name, new Float32Array(bytes.buffer));
  }
  return tensors;
}

interface TensorEntry {
  readonly dtype: string;
  readonly data_offsets: readonly [number, number];
}
