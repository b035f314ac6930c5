import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { assertWithinBudget, type Chunk, screenSizes } from './budget.ts'

const chunk = (fileName: string, imports: string[], more: Partial<Chunk> = {}): Chunk => ({
  fileName,
  imports,
  code: randomBytes(1_000).toString('base64'),
  isEntry: false,
  facadeModuleId: null,
  ...more,
})
const screen = (name: string, imports: string[]) =>
  chunk(`${name}.js`, imports, { facadeModuleId: `/x/dashboard/src/screens/${name}.tsx` })

describe('the script budget', () => {
  const common = [
    chunk('index.js', ['react.js', 'index.js'], { isEntry: true }),
    chunk('react.js', []),
    chunk('table.js', ['react.js']),
    chunk('palette.js', []),
  ]

  it('counts the entry, the screen and what they import, once each', () => {
    const sizes = screenSizes([...common, screen('posts', ['table.js', 'react.js']), screen('sign-in', [])])
    const [posts, signIn] = sizes.map(({ bytes }) => bytes)
    expect(sizes.map(({ screen }) => screen)).toEqual(['posts', 'sign-in'])
    expect((posts ?? 0) / (signIn ?? 0)).toBeCloseTo(4 / 3, 1)
  })

  it('fails a build that exceeds it, by name', () => {
    const sizes = screenSizes([...common, screen('posts', []), screen('huge', ['huge-library.js'])])
    expect(() => assertWithinBudget(sizes)).not.toThrow()
    const library = chunk('huge-library.js', [], { code: randomBytes(200_000).toString('base64') })
    const exceeded = screenSizes([...common, library, screen('posts', []), screen('huge', ['huge-library.js'])])
    expect(() => assertWithinBudget(exceeded)).toThrow(/huge: \d+\.\d kB, allowed are 200\.0 kB/)
    expect(() => assertWithinBudget(exceeded)).not.toThrow(/posts/)
  })
})
