import type { Simulator } from './simulator.ts'
import type { Story } from './story.ts'
import type { Outcome } from './world.ts'

const MOST_TRIES = 150

/** Finds a shorter story that breaks the same promise: leaves out steps and accidents that do not matter. */
export async function shrink(
  simulator: Simulator,
  story: Story,
  outcome: Outcome,
): Promise<{ story: Story; outcome: Outcome }> {
  const promise = outcome.violations[0]?.promise
  let best = { story, outcome }
  let tries = 0
  const attempt = async (shorter: Story): Promise<boolean> => {
    tries += 1
    if (tries > MOST_TRIES) return false
    const found = await simulator.run(shorter)
    if (!found.violations.some((one) => one.promise === promise)) return false
    best = { story: shorter, outcome: found }
    return true
  }
  await attempt({ ...best.story, strikes: { ...best.story.strikes, loss: 0 } })
  await attempt({ ...best.story, strikes: { ...best.story.strikes, crash: 0 } })
  await attempt({ ...best.story, deaf: 0 })
  await attempt({ ...best.story, skews: [] })
  await attempt({ ...best.story, room: 'plenty' })
  await attempt({ ...best.story, workers: 1 })
  for (let size = Math.ceil(story.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.story.steps.length; ) {
      const { steps } = best.story
      if (!(await attempt({ ...best.story, steps: [...steps.slice(0, at), ...steps.slice(at + size)] }))) at += size
    }
  }
  return best
}
