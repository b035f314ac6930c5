/** Connecting a site: its details, the receiver's code, and a test. Once the site exists, the page's address holds its id. */
import type { TestDelivery } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { siteWithSecretsQuery } from '../queries.ts'
import { ReceiverCode } from '../receivers/receiver-code.tsx'
import { RECEIVER_NAMES, RECEIVERS, receiverOf } from '../receivers/receivers.ts'
import { OfferEarlierPosts } from '../sites/earlier-posts.tsx'
import { provesIt, SendTest } from '../sites/test-delivery.tsx'
import { Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { toast } from '../ui/toast.tsx'
import { Frame, hasWorked, Onward } from './connect-site/frame.tsx'
import { MadeWithChoice } from './connect-site/made-with-choice.tsx'
import { NewSite } from './connect-site/new-site.tsx'
import { OfferSampleSite, SAMPLE, SampleSite } from './connect-site/sample-site.tsx'
import { StaticSite } from './connect-site/static-site.tsx'

/** The screen. */
export function ConnectSite() {
  const { site: siteId, receiver } = useSearch({ from: '/inside/sites/new' })
  if (siteId !== undefined && receiver === SAMPLE) return <SampleSite siteId={siteId} />
  return siteId === undefined ? (
    <Frame at={1} lead="Enter its address. We find out what it runs on and prepare the code that receives your posts.">
      <Sheet>
        <NewSite />
      </Sheet>
      <OfferSampleSite />
    </Frame>
  ) : (
    <Install siteId={siteId} />
  )
}

function Install({ siteId }: { siteId: string }) {
  const site = useQuery(siteWithSecretsQuery(siteId))
  const [accepted, setAccepted] = useState<boolean>()
  if (site.isError && site.data === undefined)
    return <Problem alone error={site.error} retry={() => void site.refetch()} />
  if (site.data === undefined) {
    return (
      <Frame at={2}>
        <Skeleton className="h-96 rounded-lg" />
      </Frame>
    )
  }
  if (site.data.kind === 'build_hook') return <StaticSite site={site.data} />
  const receiver = receiverOf(site.data)
  const works = accepted ?? hasWorked(site.data)
  const { name, url, platform } = site.data
  const onResult = (result: TestDelivery) => {
    const isProven = provesIt(result)
    // The result is at the end of a long page.
    if (isProven && !works) toast({ text: `It works: ${name} took the test.` })
    // A receiver that says nothing of what it keeps may have worked all the same.
    setAccepted(isProven || (result.success ? undefined : false))
  }
  return (
    // Only a test that the site accepts shows that the code is installed.
    <Frame
      at={works ? 4 : 2}
      lead={
        works
          ? `${name} receives. ${platform === 'wordpress' ? '' : `Your posts will be at ${url.replace(/\/$/, '')}/blog.`}`
          : `${name} is on your list. Give it ${platform === 'wordpress' ? 'the plugin' : 'the code'} that receives your posts, and it is connected.`
      }
    >
      <Sheet title="The receiver">
        <div className="grid grid-cols-1 gap-6">
          <MadeWithChoice site={site.data} names={RECEIVER_NAMES} value={receiver} labels={RECEIVERS} />
          <ReceiverCode site={site.data} receiver={RECEIVERS[receiver]} />
        </div>
      </Sheet>
      <Sheet title="The test">
        <div className="grid grid-cols-1 gap-4">
          <p className="text-quiet">
            Once the {platform === 'wordpress' ? 'plugin has its connection code' : 'code is live'}, a signed test goes
            to <span className="font-mono text-sm wrap-anywhere">{site.data.webhook_url}</span>. Nothing is published.
          </p>
          <SendTest siteId={siteId} waits={!hasWorked(site.data)} onResult={onResult} />
        </div>
      </Sheet>
      {works && <OfferEarlierPosts site={site.data} />}
      <Onward siteId={siteId} works={works} />
    </Frame>
  )
}
