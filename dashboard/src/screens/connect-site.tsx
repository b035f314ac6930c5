/** Connecting a site: its details, the receiver's code, and a test. Once the site exists, the page's address holds its id. */
import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { siteWithSecretsQuery } from '../queries.ts'
import { ReceiverCode } from '../receivers/receiver-code.tsx'
import { RECEIVER_NAMES, RECEIVERS, type ReceiverName, receiverFor } from '../receivers/receivers.ts'
import { SendTest } from '../sites/test-delivery.tsx'
import { buttonLook } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { toast } from '../ui/toast.tsx'
import { Frame } from './connect-site/frame.tsx'
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
    <Install siteId={siteId} chosen={RECEIVER_NAMES.find((name) => name === receiver)} />
  )
}

function Install({ siteId, chosen }: { siteId: string; chosen: ReceiverName | undefined }) {
  const site = useQuery(siteWithSecretsQuery(siteId))
  const navigate = useNavigate({ from: '/sites/new' })
  const [accepted, setAccepted] = useState(false)
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
  const receiver = chosen ?? receiverFor(site.data.platform)
  const { name, url, platform } = site.data
  const onResult = ({ success }: { success: boolean }) => {
    // The result is at the end of a long page.
    if (success && !accepted) toast({ text: `It works: ${name} took the test.` })
    setAccepted(success)
  }
  return (
    // Only a test that the site accepts shows that the code is installed.
    <Frame
      at={accepted ? 4 : 2}
      lead={
        accepted
          ? `${name} receives. ${platform === 'wordpress' ? '' : `Your posts will be at ${url.replace(/\/$/, '')}/blog.`}`
          : `${name} is added here. Once it has the code that receives your posts, it is connected.`
      }
    >
      <Sheet title="The receiver">
        <div className="grid grid-cols-1 gap-6">
          <Field label="Your site is made with">
            <Select
              value={receiver}
              onChange={({ target: { value } }) =>
                void navigate({ search: { site: siteId, receiver: value }, replace: true })
              }
            >
              <ReceiverOptions />
            </Select>
          </Field>
          <ReceiverCode site={site.data} receiver={RECEIVERS[receiver]} />
        </div>
      </Sheet>
      <Sheet title="The test">
        <div className="grid grid-cols-1 gap-4">
          <p className="text-quiet">
            Once the code is live, a signed test goes to{' '}
            <span className="font-mono text-sm wrap-anywhere">{site.data.webhook_url}</span>. Nothing is published.
          </p>
          <SendTest siteId={siteId} waits={!hasWorked(site.data)} onResult={onResult} />
        </div>
      </Sheet>
      <div className="flex flex-wrap justify-end gap-2">
        <Link
          to="/sites/$siteId"
          params={{ siteId }}
          className={buttonLook({ kind: accepted ? 'secondary' : 'quiet' })}
        >
          {accepted ? 'Go to its settings' : 'Do this later'}
        </Link>
        {accepted && (
          <Link to="/posts/$postId" params={{ postId: 'new' }} className={buttonLook({ kind: 'primary' })}>
            Write a post
          </Link>
        )}
      </div>
    </Frame>
  )
}

/** Whether a test or a delivery has ever succeeded. */
function hasWorked({ last_test: test, delivery_stats: { last_delivery: last } }: Site): boolean {
  return test?.ok === true || last !== null
}

/** The receivers, as options of a list. */
function ReceiverOptions() {
  return RECEIVER_NAMES.map((name) => (
    <option key={name} value={name}>
      {RECEIVERS[name].name}
    </option>
  ))
}
