/**
 * Opening pictures. They come from anybody and the libraries that open them are written in C, so they are opened in a process of its own,
 * one at a time: one that is made to crash it, or to never end, costs only itself.
 */
import { unavailable } from '../../platform/errors.ts'
import { OwnProcess, ProcessEnded } from '../../platform/own-process.ts'
import { Slots } from '../../platform/slots.ts'
import type { PictureType } from './types.ts'

/** What a picture is, or why it is not taken. `isPlain`: it says nothing of its origin; else `plainPath` has one that does not. */
export type Inspected =
  | { type: PictureType; width: number; height: number; animated: boolean; isPlain: boolean }
  | { refused: string }

/** A picture to make: at most `width` pixels wide, in a format. */
export type Conversion = { do: 'convert'; path: string; targetPath: string; width: number; type: PictureType }

/** What the process is asked. */
export type Question = { do: 'inspect'; path: string; plainPath: string } | Conversion

type Answer = Inspected | { failed: string } | Record<never, never>

const IDLE_MS = 10_000
const DEADLINE_MS = 30_000
/** How many may wait: in all, and of one account. */
const WAITING = { all: 200, ofOne: 50 }

const opener = new OwnProcess<Question, Answer>(new URL('./worker.ts', import.meta.url), IDLE_MS)
const turns = new Slots(1)

/** Runs `work` while no other picture is open, accounts taking turns. Throws `unavailable` when too many wait. */
async function inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  if (turns.free === 0 && !turns.mayWait(1, accountId, WAITING))
    throw unavailable('Too many pictures are waiting to be worked on. Try again shortly.')
  const turn = await turns.take(1, accountId)
  try {
    return await work()
  } finally {
    turn.free()
  }
}

/** Looks at a file and, if it says anything of its origin, writes one that does not to `plainPath`. */
export function inspectPicture(accountId: string, path: string, plainPath: string): Promise<Inspected> {
  return inTurn(accountId, async () => {
    try {
      return (await opener.ask({ do: 'inspect', path, plainPath }, DEADLINE_MS)) as Inspected
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
      return { refused: 'The picture cannot be opened: that took too long or too much memory.' }
    }
  })
}

/** Makes a picture of another size or format, unless `isThere` says in the end that somebody else has. Returns whether it was made. */
export function convertPicture(
  accountId: string,
  isThere: () => Promise<boolean>,
  conversion: Omit<Conversion, 'do'>,
): Promise<boolean> {
  return inTurn(accountId, async () => {
    if (await isThere()) return false
    const answer = await opener.ask({ do: 'convert', ...conversion }, DEADLINE_MS)
    if ('failed' in answer) throw new Error(answer.failed)
    return true
  })
}
