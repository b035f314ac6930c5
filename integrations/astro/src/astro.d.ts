/** What is used of Astro, which is too large to be installed for its types; the real thing checks them in real/astro.ts. */
declare module 'astro/zod' {
  export namespace z {
    type ZodType<Output> = { _zod: { output: Output } }
    function custom<Output>(): ZodType<Output>
  }
}
