/** What we use of WebAssembly, which TypeScript declares for browsers only. */
declare namespace WebAssembly {
  class Memory {
    constructor(size: { readonly initial: number });
    grow(pages: number): number;
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(program: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  /** A constant that a program exports: an address or a size. */
  interface Global {
    readonly value: number;
  }
  function compile(program: Uint8Array<ArrayBuffer>): Promise<Module>;
}
