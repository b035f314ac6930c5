/** What is used of Next.js, which is too large to be installed for its types; the real thing checks them in test/real.ts. */
declare module 'next/cache' {
  export function revalidateTag(tag: string, profile: { expire: number }): void
}
declare module 'next/navigation' {
  export function notFound(): never
  export function permanentRedirect(path: string): never
}
declare module 'next/server' {
  export class NextResponse extends Response {
    static next(): NextResponse
    static redirect(url: URL, status: number): NextResponse
    static rewrite(url: URL): NextResponse
  }
}
