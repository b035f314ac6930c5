export type { PostData } from './load.ts'
export { type PostLoader, postLoader } from './loader.ts'
export { byNewest, type PostPath, postPaths } from './paths.ts'
