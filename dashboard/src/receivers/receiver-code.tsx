import type { SiteWithSecrets } from '@postrider/sdk'
import { Download, Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonLook } from '../ui/button.tsx'
import { Code } from '../ui/copy.tsx'
import { Notice } from '../ui/notice.tsx'
import { connectionCodeOf } from './connection-code.ts'
import { installCommand, isPublic } from './install-command.ts'
import type { Instructions } from './receivers.ts'

/** Everything a site needs to receive: its settings and the code. Secrets can be copied, and are shown on request. */
export function ReceiverCode({ site, receiver }: { site: SiteWithSecrets; receiver: Instructions }) {
  const [shown, setShown] = useState(false)
  const { install, download, settings, files, pages = [], notes = [] } = receiver
  const isServer = files.length === 1 && pages.length === 0
  const isBuilt = site.kind === 'build_hook'
  const risk = isBuilt ? 'read your posts' : 'write to your site'
  const real = settings(connectionCodeOf(site), site.url)
  const hidden = settings(`prc_${'•'.repeat(16)}`, site.url)
  return (
    <ol className="grid grid-cols-1 gap-6">
      {install !== undefined && (
        <Step title="Install the package">
          <Code label="Terminal" text={installCommand(install, location.origin)} />
          <p className="text-sm text-faint">
            The package comes from your Postrider. Run the command in the site’s folder, and commit what it changes.
          </p>
        </Step>
      )}
      {download !== undefined && (
        <Step title="Install the plugin">
          <p>
            <a href={download.path} download className={buttonLook()}>
              <Download aria-hidden />
              Download the plugin
            </a>
          </p>
          <p className="text-sm text-faint">{download.steps}</p>
        </Step>
      )}
      <Step
        title={download ? 'Paste the connection code' : 'Give the site its connection code'}
        aside={
          <Button size="sm" kind="quiet" icon={shown ? <EyeOff /> : <Eye />} onClick={() => setShown(!shown)}>
            {shown ? 'Hide the secrets' : 'Show the secrets'}
          </Button>
        }
      >
        <Code label={real.path} text={real.text} {...(shown ? {} : { instead: hidden.text })} />
        <p className="text-sm text-faint">
          {download ? (
            `Treat it as a password: anyone who has it can ${risk}.`
          ) : (
            <>
              {isBuilt ? 'For the build only' : 'For the server only'}: anyone who has it can {risk}. What runs already
              has to be started again to find it.
              {!isBuilt &&
                isPublic(new URL(site.url).hostname) &&
                ' For development, connect another site and use its code.'}{' '}
              In production it belongs in the environment that your host gives the {isBuilt ? 'build' : 'site'}
              {real.path === '.env' && !isBuilt && ', or in this file if you start the server yourself'}.
            </>
          )}
        </p>
        {files.length === 0 && <Notes notes={notes} />}
      </Step>
      {files.length > 0 && (
        <Step title={isServer ? 'Add this to your server' : 'Add these files'}>
          {isServer && (
            <p className="text-sm text-faint">
              This is a whole server. If you have one already, hand what comes to /blog and /webhooks/postrider to the
              blog.
            </p>
          )}
          {files.map(({ path, text }) => (
            <Code key={path} label={path} text={text} />
          ))}
          <Notes notes={notes} />
        </Step>
      )}
      {pages.length > 0 && (
        <Step title="Show the posts">
          <p className="text-sm text-faint">
            Two pages to begin with: all posts at /blog, and a page for each post below it.
          </p>
          {pages.map(({ path, text }) => (
            <Code key={path} label={path} text={text} />
          ))}
        </Step>
      )}
    </ol>
  )
}

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <Notice>
      <div className="grid gap-1.5">
        {notes.map((note) => (
          <p key={note}>{note.split('`').map((words, index) => (index % 2 === 0 ? words : inMono(words)))}</p>
        ))}
      </div>
    </Notice>
  )
}

const inMono = (words: string) => (
  <code key={words} className="font-mono text-sm wrap-anywhere">
    {words}
  </code>
)

function Step({ title, aside, children }: { title: string; aside?: React.ReactNode; children: React.ReactNode }) {
  return (
    <li className="grid min-w-0 grid-cols-1 gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h3 className="font-[550]">{title}</h3>
        {aside}
      </div>
      {children}
    </li>
  )
}
