import { hash } from 'node:crypto';

/** SHA-256 as 64 hex digits. Equality of contents is judged by it, never by a time (SY-43). */
export type ContentHash = string & { readonly contentHash: unique symbol };

export function contentHash(content: Uint8Array | string): ContentHash {
  return hash('sha256', content, 'hex') as ContentHash;
}
