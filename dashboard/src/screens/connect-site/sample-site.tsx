/** The sample site, for those who have no site at hand: one click connects it, one command starts it, and it shows what arrives. */
import type { Post, SiteWithSecrets } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ExternalLink, Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { api, sentence } from '../../api.ts'
import { queryClient, serviceQuery, sitesQuery, siteWithSecretsQuery } from '../../queries.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Code } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { isSameAddress } from './address.ts'
import { Frame } from './frame.tsx'

/** The receiver's name in the address of the page. */
export const SAMPLE = 'sample'

/** Where the sample site runs unless told otherwise. */
const SITE = {
  name: 'Sample site',
  url: 'http://localhost:4000',
  webhook_url: 'http://localhost:4000/webhooks',
  verify: true,
}

/** Offers to connect it, where the service can reach it. One that is connected already is used again. */
export function OfferSampleSite() {
  const command = useQuery(serviceQuery).data?.sampleSite ?? null
  const navigate = useNavigate({ from: '/sites/new' })
  const connect = useMutation({
    async mutationFn() {
      const { sites } = await api.sites.list()
      return sites.find((site) => isSameAddress(site.webhook_url, SITE.webhook_url)) ?? (await api.sites.create(SITE))
    },
    onSuccess({ id }) {
      void queryClient.invalidateQueries({ queryKey: sitesQuery.queryKey })
      void navigate({ search: { site: id, receiver: SAMPLE }, replace: true })
    },
  })
  if (command === null) return null
  return (
    <Sheet title="No site at hand?">
      <div className="grid grid-cols-1 gap-3">
        <p className="text-quiet">
          Postrider comes with a small blog that runs on this machine and shows what arrives. It takes one command.
        </p>
        {connect.isError && <Notice tone="failed">{sentence(connect.error)}</Notice>}
        <div>
          <Button busy={connect.isPending} onClick={() => connect.mutate()}>
            Use the sample site
          </Button>
        </div>
      </div>
    </Sheet>
  )
}

/** Shows the command, waits until the site answers, and publishes a first post on it. */
export function SampleSite({ siteId }: { siteId: string }) {
  const site = useQuery(siteWithSecretsQuery(siteId))
  const command = useQuery(serviceQuery).data?.sampleSite
  const test = useQuery({
    queryKey: ['sample-site', siteId],
    queryFn: () => api.sites.testDelivery(siteId),
    enabled: site.data !== undefined,
    // Until it has answered once; nothing of a test is kept.
    refetchInterval: ({ state }) => (state.data?.success === true ? false : ASK_EVERY_MS),
    staleTime: 0,
  })
  if (site.isError && site.data === undefined)
    return <Problem alone error={site.error} retry={() => void site.refetch()} />
  if (site.data === undefined || command === undefined) {
    return (
      <Frame at={2}>
        <Skeleton className="h-64 rounded-lg" />
      </Frame>
    )
  }
  const answers = test.data?.success === true
  return (
    <Frame
      at={answers ? 4 : 2}
      lead={`${site.data.name} is connected. Start it, and publish a post that you can see there.`}
    >
      <Sheet title="Start it">
        <div className="grid grid-cols-1 gap-4">
          <Start site={site.data} command={command ?? ''} />
          <div role="status">
            {answers ? (
              <Notice tone="arrived" title="The sample site answers.">
                It has received a signed test.
              </Notice>
            ) : (
              <p className="flex items-center gap-2 text-quiet">
                <Spinner /> Waiting for the sample site. This page notices when it runs.
              </p>
            )}
          </div>
          {test.data !== undefined && test.data.response_code !== null && !answers && (
            <Notice tone="failed" title={`Something answered ${test.data.response_code}, but did not accept the test.`}>
              {test.data.troubleshooting}
            </Notice>
          )}
        </div>
      </Sheet>
      {answers && <FirstPost site={site.data} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Link to="/sites/$siteId" params={{ siteId }} className={buttonLook({ kind: 'quiet' })}>
          {answers ? 'See how it is doing' : 'Do this later'}
        </Link>
      </div>
    </Frame>
  )
}

const ASK_EVERY_MS = 2_500

const DOTS = '••••••'

function Start({ site, command }: { site: SiteWithSecrets; command: string }) {
  const [shown, setShown] = useState(false)
  const line = (secret: string, key: string) =>
    `POSTRIDER_SECRET=${secret} POSTRIDER_KEY=${key} POSTRIDER_URL=${location.origin} ${command}`
  const real = line(site.webhook_secret, site.api_key)
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <p className="text-quiet">Open another terminal in the folder where Postrider runs, and run:</p>
        <Button size="sm" kind="quiet" icon={shown ? <EyeOff /> : <Eye />} onClick={() => setShown(!shown)}>
          {shown ? 'Hide the secrets' : 'Show the secrets'}
        </Button>
      </div>
      <Code label="Terminal" text={real} {...(shown ? {} : { instead: line(`whsec_${DOTS}`, `pr_${DOTS}`) })} />
    </>
  )
}

const WELCOME = {
  title: 'Hello from Postrider',
  excerpt: 'Written once, delivered to every site.',
  body: {
    markdown: `If you can read this on your site, it works: this post was **published in Postrider**, signed, and delivered.

Now try what you would do every day:

- [x] Publish a post
- [ ] Change its title, and see the change arrive
- [ ] Schedule the next one
- [ ] Stop the site, publish, start it again: nothing is lost

> Write once. It arrives everywhere.
`,
  },
  tags: ['welcome'],
}

/** Publishes a welcome post on this site alone, and shows where to look at it. */
function FirstPost({ site }: { site: SiteWithSecrets }) {
  const publish = useMutation({
    async mutationFn(): Promise<Post> {
      const post = await api.posts.create(WELCOME)
      await api.posts.publish(post.id, [site.id])
      return post
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['posts'] }),
  })
  const post = publish.data
  return (
    <Sheet title="The first post">
      <div className="grid grid-cols-1 gap-4">
        <p className="text-quiet">
          Publish a welcome post. It goes to the sample site only, and can be changed or deleted like any other.
        </p>
        {publish.isError && <Notice tone="failed">{sentence(publish.error)}</Notice>}
        <div role="status" className="empty:hidden">
          {post !== undefined && (
            <Notice tone="arrived" title="The post is published.">
              It is on its way to the sample site, where it arrives within moments.
            </Notice>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          {post === undefined ? (
            <>
              <Button kind="primary" busy={publish.isPending} onClick={() => publish.mutate()}>
                Publish a welcome post
              </Button>
              <Link to="/posts/$postId" params={{ postId: 'new' }} className={buttonLook()}>
                Write one myself
              </Link>
            </>
          ) : (
            <>
              <a
                href={`${site.url}/posts/${post.slug}`}
                target="_blank"
                rel="noreferrer"
                className={buttonLook({ kind: 'primary' })}
              >
                <ExternalLink /> See it on the sample site
              </a>
              <Link to="/posts/$postId" params={{ postId: post.id }} className={buttonLook()}>
                See where it went
              </Link>
            </>
          )}
        </div>
      </div>
    </Sheet>
  )
}
