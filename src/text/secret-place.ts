/** A secret's kind, and its place as UTF-16 offsets. */
export interface SecretPlace {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}
