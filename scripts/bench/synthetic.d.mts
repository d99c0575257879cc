/** Deterministic memory files and situations; see synthetic.mjs. */
export interface SyntheticSource {
  memory(index: number): { readonly directory: 'feedback' | 'facts'; readonly fileName: string; readonly text: string };
  situation(wordCount: number): string;
}
export function createSource(options?: { readonly seed?: number; readonly zipf?: boolean }): SyntheticSource;
