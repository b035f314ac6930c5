/** Sites that receive what is published. */
import type { PostriderClient } from '@postrider/sdk'
import type { Locator } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { type Receiver, startReceiver } from '../../../server/test/support/receiver.ts'
import { connectSite } from '../../../server/test/support/service.ts'
import type { Scene } from './browser.ts'

/** A site of this name with a real receiver, which goes with the test. */
export async function connect(client: PostriderClient, name: string): Promise<Receiver & { siteId: string }> {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const { id } = await connectSite(client, receiver, name)
  return { ...receiver, siteId: id }
}

/** Waits until something is shown that live updates bring; their pauses pass by the service's clock. */
export function seesLive({ service }: Scene, wanted: Locator): Promise<void> {
  return sees(wanted, async () => service().clock.advance(50))
}

/** Waits until something is shown that comes of work. A click reaches the service when it does: what is due is done until then. */
export function seesDone({ service }: Scene, wanted: Locator): Promise<void> {
  return sees(wanted, () => service().advance(50))
}

async function sees(wanted: Locator, pass: () => Promise<void>): Promise<void> {
  await expect
    .poll(async () => {
      await pass()
      return wanted.isVisible()
    })
    .toBe(true)
}
