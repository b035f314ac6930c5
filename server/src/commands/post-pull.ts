import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openArchive } from '../transfer/index.ts'
import { withAccount } from './author/account.ts'
import { EXIT, type Run } from './command.ts'

/** Writes every post of the account as a Markdown file with front matter. Files whose posts are gone stay. */
export const run: Run = async (invocation) => {
  const { operands, terminal } = invocation
  const [directory = '.'] = operands
  const scratch = await mkdtemp(join(tmpdir(), 'postrider-pull-'))
  const path = join(scratch, 'posts.zip')
  let [written, same] = [0, 0]
  try {
    await withAccount(invocation, async (client) => {
      const archive = await client.export({ format: 'markdown' })
      await pipeline(Readable.fromWeb(archive as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(path))
    })
    const archive = await openArchive(path)
    try {
      for (const file of archive.files) {
        // The reader has refused names that lead out of the archive.
        const target = join(directory, file.path.replace(/^posts\//, ''))
        const text = await archive.text(file)
        if ((await readFile(target, 'utf8').catch(() => undefined)) === text) {
          same += 1
          continue
        }
        await mkdir(dirname(target), { recursive: true })
        await writeFile(target, text)
        written += 1
        terminal.print(`written  ${target}`)
      }
    } finally {
      archive.close()
    }
  } finally {
    await rm(scratch, { recursive: true })
  }
  terminal.print(`${written} written, ${same} as they were.`)
  return EXIT.ok
}
