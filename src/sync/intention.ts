import type { MemoryName } from '../memory/slug.ts';
import type { ArchiveOrigin } from '../store/archive.ts';
import type { ContentHash } from '../text/content-hash.ts';
import type { Agreement, Removal } from './commit.ts';
import type { FileSight } from './file-sight.ts';
import type { ViewOptions } from './memory-view.ts';
import type { WantedChange } from './own-change.ts';

export interface WishedRemoval {
  readonly origin: ArchiveOrigin;
  readonly goneTo: MemoryName | null;
  /** Runs in the transaction that notes the removal; what it throws stops it. */
  readonly check?: () => void;
}

export type ReadSight = Extract<FileSight, { kind: 'read' }>;

/** What a critical section is to do; the effect is dumb, the decision is here. */
export type Intention =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'rows';
      readonly viewOptions: ViewOptions;
      /** Runs in the same transaction, after the plan was carried out. */
      readonly finish?: () => void;
    }
  | {
      readonly kind: 'remove';
      readonly removal: Removal;
      readonly bytes: Uint8Array | null;
      readonly hash: ContentHash | null;
      readonly check: () => void;
    }
  | {
      readonly kind: 'create';
      readonly bytes: Uint8Array;
      readonly agreement: Agreement;
      readonly keepOld: () => void;
    }
  | {
      readonly kind: 'write';
      readonly bytes: Uint8Array;
      readonly agreement: Agreement;
      readonly sight: ReadSight;
      /** Stores what the write replaces; runs in the transaction of step 5. */
      readonly keepOld: () => void;
      readonly stillAllowed: () => boolean;
    };

export interface SectionWishes {
  readonly wanted?: WantedChange;
  readonly removal?: WishedRemoval;
  readonly deletionAllowed?: boolean;
}
