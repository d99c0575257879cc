/**
 * `text` in which tags that a model may take for the frame of a conversation lose their angle brackets, which become `‹`
 * and `›` (SE-60): roles, tools, instructions, and the markers that chat templates use.
 */
export function inertTags(text: string): string {
  if (!text.includes('<')) return text;
  return text.replace(ROLE_TAG, (_, inside: string, end: string) => `‹${inside}${end === '' ? '' : '›'}`);
}

const ROLE_WORDS = [
  'system|sys|user|assistant|human|ai|model|developer|admin|tools?|functions?|invoke|ipython',
  'instructions?|inst|prompt|context|reminder|memory|memories|engram|messages?|document|documents|results?|output',
  'thinking|thought|reasoning|im_start|im_end|start_of_turn|end_of_turn|eot_id|endoftext|begin_of_text|start_header_id',
].join('|');

/** Perhaps behind `/`, `|` or `!`, and perhaps the later part of a name: `function_calls`, `antml:invoke`, `system-reminder`. */
const ROLE_TAG = new RegExp(`<([/|!?\\s]{0,8}(?:[a-z0-9]+[:._-]){0,4}(?:${ROLE_WORDS})(?![a-z])[^<>\\n]*)(>?)`, 'gi');
