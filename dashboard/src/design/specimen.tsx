/**
 * Every primitive in every state, side by side: `npm run dev -w dashboard`, then /design.html. It is not part of the
 * build.
 */
import './index.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Copy, FileText, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { STANDING_NAMES, STANDING_TONES, type Standing } from '../delivery/standing.ts'
import { StandingLabel, StopMark, Stops } from '../delivery/stops.tsx'
import { duration, number } from '../format.ts'
import { Mark } from '../shell/mark.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Chart } from '../ui/chart.tsx'
import { Checkbox, Radio, Switch, Tick } from '../ui/choice.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Code, CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input, Select, Textarea } from '../ui/field.tsx'
import { Figures } from '../ui/figures.tsx'
import { Keys } from '../ui/keys.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Empty, Problem, Skeleton } from '../ui/placeholder.tsx'
import { Table, Td, Th, Tr } from '../ui/table.tsx'
import { Toasts, toast } from '../ui/toast.tsx'
import { Tooltips } from '../ui/tooltip.tsx'

const STANDINGS = Object.keys(STANDING_NAMES) as Standing[]
const LONG =
  'An unreasonably long title that somebody pasted from somewhere and that goes on well past the end of the line'
const DAYS = Array.from({ length: 30 }, (_, day) => ({ name: `Day ${day + 1}`, short: `${day + 1}` }))

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-2 border-t border-line py-4 sm:grid-cols-[9rem_1fr]">
      <h3 className="text-sm text-faint">{name}</h3>
      <div className="flex min-w-0 flex-wrap items-center gap-3">{children}</div>
    </div>
  )
}

function Specimen() {
  const [open, setOpen] = useState<'dialog' | 'confirm'>()
  return (
    <main>
      <Page title="Specimen" lead="Everything the screens are made of." actions={<Mark className="size-10" />}>
        <Sheet title="Actions">
          <Row name="Button">
            <Button kind="primary" icon={<Plus />}>
              New post
            </Button>
            <Button>Secondary</Button>
            <Button kind="quiet">Quiet</Button>
            <Button kind="danger" icon={<Trash2 />}>
              Delete
            </Button>
            <Button kind="primary" busy>
              Publishing
            </Button>
            <Button disabled>Disabled</Button>
            <Button size="sm">Small</Button>
            <IconButton label="Copy" icon={<Copy />} />
            <CopyButton text="x" what="the key" words />
          </Row>
          <Row name="Menu, dialog, toast">
            <Menu align="start" trigger={<Button>Menu</Button>}>
              <MenuItem icon={<Copy />}>Duplicate</MenuItem>
              <MenuItem disabled>Unpublish</MenuItem>
              <MenuLine />
              <MenuItem icon={<Trash2 />} danger>
                Delete
              </MenuItem>
            </Menu>
            <Button onClick={() => setOpen('dialog')}>Dialog</Button>
            <Button onClick={() => setOpen('confirm')}>Confirm</Button>
            <Button onClick={() => toast({ text: 'The post is published.', action: { label: 'See', act() {} } })}>
              Toast
            </Button>
            <Button onClick={() => toast({ tone: 'failed', text: 'The service cannot be reached.' })}>Bad toast</Button>
          </Row>
          <Row name="Keys">
            <Keys keys="mod+shift+p" />
            <Keys keys="?" />
          </Row>
        </Sheet>

        <Sheet title="What happened">
          <Row name="Standing">
            {STANDINGS.map((standing) => (
              <StandingLabel key={standing} standing={standing} />
            ))}
          </Row>
          <Row name="Badge">
            {STANDINGS.map((standing) => (
              <Badge key={standing} tone={STANDING_TONES[standing]} icon={<StopMark standing={standing} />}>
                {STANDING_NAMES[standing]}
              </Badge>
            ))}
          </Row>
          <Row name="Stops">
            <Stops stops={STANDINGS.slice(0, 5).map((standing) => ({ site: 'Journal', standing }))} />
            <Stops stops={Array.from({ length: 24 }, () => ({ site: 'Journal', standing: 'arrived' }))} />
          </Row>
        </Sheet>

        <Sheet title="Forms">
          <div className="grid max-w-form gap-4">
            <Field label="Title" aside="12 / 60" hint="As it stands in search results.">
              <Input placeholder="What is it about?" />
            </Field>
            <Field label="Address" error="This must be an absolute http or https address." required>
              <Input defaultValue="blog.example" mono />
            </Field>
            <Field label="Excerpt">
              <Textarea defaultValue={LONG} />
            </Field>
            <Field label="Platform">
              <Select defaultValue="astro">
                <option value="astro">Astro</option>
                <option value="nextjs">Next.js</option>
              </Select>
            </Field>
            <Field label="Disabled">
              <Input disabled defaultValue="Cannot be changed" />
            </Field>
            <Checkbox label="Kitchen notes" hint="blog.example.com" defaultChecked />
            <Checkbox label="Journal" />
            <Tick aria-label="Some" partly />
            <Switch label="Paused" hint="Nothing is sent; what is pending waits." defaultChecked />
            <Switch label="Off" />
            <Radio name="when" label="Now" hint="It goes out at once." defaultChecked />
            <Radio name="when" label="Later" hint="On a day and at a time of your choice." />
          </div>
        </Sheet>

        <Sheet title="Table" flush>
          <Table label="Posts">
            <thead>
              <tr>
                <Th>
                  <Tick aria-label="All" />
                </Th>
                <Th grow>Title</Th>
                <Th>Sites</Th>
                <Th from="md">Status</Th>
                <Th numeric>Words</Th>
              </tr>
            </thead>
            <tbody>
              {['How we halved our build times', LONG].map((title, index) => (
                <Tr key={title} selected={index === 1} {...(index === 0 ? { 'data-current': '' } : {})}>
                  <Td>
                    <Tick aria-label={title} defaultChecked={index === 1} />
                  </Td>
                  <Td grow>
                    <span className="clip block font-serif text-[1rem] font-[550]">{title}</span>
                  </Td>
                  <Td>
                    <Stops
                      stops={STANDINGS.slice(index, index + 3).map((standing) => ({ site: 'Journal', standing }))}
                    />
                  </Td>
                  <Td from="md">
                    <Badge>Draft</Badge>
                  </Td>
                  <Td numeric>1,024</Td>
                </Tr>
              ))}
            </tbody>
          </Table>
        </Sheet>

        <Sheet title="Words and figures">
          <div className="grid grid-cols-1 gap-4">
            <Figures
              figures={[
                { name: 'Deliveries', value: '12,480' },
                { name: 'Arrived', value: '99.4%' },
                { name: 'Not measured', value: '—' },
                { name: 'On its way', value: undefined },
              ]}
            />
            <Notice title="Good to know">A plain notice.</Notice>
            <Notice tone="arrived">It arrived.</Notice>
            <Notice tone="trying" title="The secret changes at once">
              Put the new one on the site first.
            </Notice>
            <Notice tone="failed" action={<Button size="sm">Send again</Button>}>
              The site answered 500.
            </Notice>
            <Code
              label="app/api/webhooks/route.ts"
              text={'export async function POST(request: Request) {\n  return Response.json({ ok: true })\n}'}
            />
            <p className="font-serif text-xl">What a person wrote is set in a serif: {LONG}.</p>
          </div>
        </Sheet>

        <Sheet title="Over time">
          <div className="grid gap-8">
            <Chart
              label="Deliveries"
              units={DAYS}
              format={number}
              bars={[
                { name: 'Delivered', tone: 'arrived', values: DAYS.map((_, day) => (day * 7) % 19) },
                { name: 'Failed', tone: 'failed', values: DAYS.map((_, day) => (day % 5 === 0 ? 3 : 0)) },
              ]}
              lines={[{ name: 'Needed a retry', tone: 'trying', values: DAYS.map((_, day) => (day * 3) % 7) }]}
            />
            <Chart
              label="Mean response"
              compact
              units={DAYS}
              format={duration}
              lines={[{ name: 'Mean', tone: 'plain', values: DAYS.map((_, day) => (day % 4 ? day * 40 : null)) }]}
            />
          </div>
        </Sheet>
        <Sheet>
          <Empty
            picture={<FileText />}
            title="No posts yet"
            action={<Button kind="primary">Write your first post</Button>}
          >
            What you write appears here, with a mark for every site that has it.
          </Empty>
        </Sheet>
        <Sheet>
          <Problem error={new Error('x')} retry={() => {}} />
        </Sheet>
        <Sheet>
          <div className="grid gap-3">
            <Skeleton className="h-4 w-1/2" />
            <Skeleton className="h-4 w-2/3" />
          </div>
        </Sheet>
      </Page>
      <Dialog
        open={open === 'dialog'}
        onOpenChange={() => setOpen(undefined)}
        title="Publish to 3 sites"
        description="It goes out at once."
        actions={
          <>
            <Button onClick={() => setOpen(undefined)}>Cancel</Button>
            <Button kind="primary">Publish</Button>
          </>
        }
      >
        <Field label="Title">
          <Input />
        </Field>
      </Dialog>
      <Confirm
        open={open === 'confirm'}
        onOpenChange={() => setOpen(undefined)}
        title="Delete 3 posts?"
        verb="Delete 3 posts"
        act={() => Promise.reject(new Error('One of them was changed by somebody else.'))}
      >
        <p>They are removed for good. Sites that have them are told to remove them too.</p>
      </Confirm>
    </main>
  )
}

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={new QueryClient()}>
        <Tooltips>
          <Specimen />
          <Toasts />
        </Tooltips>
      </QueryClientProvider>
    </StrictMode>,
  )
}
