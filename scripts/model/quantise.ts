export interface QuantisedRow {
  readonly scale: number;
  readonly values: Int8Array<ArrayBuffer>;
}

/**
 * A row of weights as int8 with the float32 scale, of some, that loses least: a few clipped weights may cost less than a
 * coarser step for all. A row of zeros has scale 0.
 */
export function quantiseRow(row: Float32Array): QuantisedRow {
  const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  let best = withScale(row, Math.fround(largest / 127));
  for (let share = 99; share >= 70 && largest > 0; share--) {
    const clipped = withScale(row, Math.fround((largest * share) / 100 / 127));
    if (clipped.loss < best.loss) best = clipped;
  }
  return best;
}

function withScale(row: Float32Array, scale: number): QuantisedRow & { readonly loss: number } {
  const values = new Int8Array(row.length);
  let loss = 0;
  row.forEach((value, at) => {
    const rounded = scale === 0 ? 0 : Math.max(-127, Math.min(127, Math.round(value / scale)));
    values[at] = rounded;
    loss += (value - rounded * scale) ** 2;
  });
  return { scale, values, loss };
}

/**
 * A linear layer as the kernel reads it (kernel/linear.ts): int8 weights [outputs / 2][inputs / 8][2][8], a float32 scale an
 * output, a float32 bias an output.
 *
 * @param weights - [outputs][inputs]
 */
export function linearLayer(weights: Float32Array, biases: Float32Array): Uint8Array<ArrayBuffer> {
  const outputs = biases.length;
  const inputs = weights.length / outputs;
  const bytes = new Uint8Array(outputs * (inputs + 8));
  const scales = new Float32Array(outputs);
  for (let output = 0; output < outputs; output++) {
    const { scale, values } = quantiseRow(weights.subarray(output * inputs, (output + 1) * inputs));
    scales[output] = scale;
    for (let input = 0; input < inputs; input += 8) {
      const place = (output >> 1) * inputs * 2 + input * 2 + (output & 1) * 8;
      bytes.set(new Uint8Array(values.buffer, input, 8), place);
    }
  }
  bytes.set(new Uint8Array(scales.buffer), outputs * inputs);
  bytes.set(new Uint8Array(Float32Array.from(biases).buffer), outputs * (inputs + 4));
  return bytes;
}

/** An embedding row: its float32 scale, then its int8 values. */
export function embeddingRow(row: Float32Array): Uint8Array<ArrayBuffer> {
  const { scale, values } = quantiseRow(row);
  const bytes = new Uint8Array(4 + values.length);
  new DataView(bytes.buffer).setFloat32(0, scale, true);
  bytes.set(new Uint8Array(values.buffer), 4);
  return bytes;
}
