/** The tokens with which programs use the account: making one, seeing what they are for, revoking them. */
import type { ApiToken, NewApiToken } from '@postrider/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { counted } from '../../format.ts'
import { tokensQuery } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Code } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'
import { Ago, useIsPast } from '../../ui/time.tsx'
import { NewToken } from './new-token.tsx'
import { type Scope, WORDS } from './scopes.ts'

/** The tokens, and a form for another one. */
export function Tokens() {
  const tokens = useQuery({ ...tokensQuery, refetchOnMount: 'always' })
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<NewApiToken>()
  if (tokens.isError && tokens.data === undefined)
    return <Problem error={tokens.error} retry={() => void tokens.refetch()} />
  if (tokens.data === undefined) return <Skeleton className="h-24" />
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-quiet">
        A program that writes or publishes for you, such as a script or a build, uses a token: it may do what you
        choose, and you can end it without changing your password.
      </p>
      {made !== undefined && <Made token={made} />}
      {tokens.data.length > 0 && (
        <ul className="-my-3">
          {tokens.data.map((token) => (
            <Token key={token.id} token={token} onRevoked={() => token.id === made?.id && setMade(undefined)} />
          ))}
        </ul>
      )}
      {adding ? (
        <NewToken
          onMade={(token) => {
            setMade(token)
            setAdding(false)
          }}
          onCancel={() => setAdding(false)}
        />
      ) : (
        <div>
          <Button icon={<Plus />} onClick={() => setAdding(true)}>
            New token
          </Button>
        </div>
      )}
    </div>
  )
}

/** What an assistant that runs programs could do with the token itself. */
const NOT_FOR_AGENTS: readonly Scope[] = ['posts:publish', 'sites:write', 'secrets:read']

/** A token just after it was made: the one time that it is shown. */
function Made({ token: { token, name, scopes } }: { token: NewApiToken }) {
  const isForAgents = !scopes.some((scope) => NOT_FOR_AGENTS.includes(scope))
  return (
    <Notice tone="arrived" title={`“${name}” is ready`}>
      <div className="grid grid-cols-1 gap-3">
        <p>Copy the token now: it is not shown again.</p>
        <Code label="Token" text={token} />
        {isForAgents && (
          <details>
            <summary className="w-fit cursor-pointer rounded-sm font-[550]">For an assistant that speaks MCP</summary>
            <p className="my-2 text-quiet">
              Add this to its configuration, such as <code>.mcp.json</code>. It writes and proposes; you publish.
            </p>
            <Code label="MCP configuration" text={mcpConfiguration(token)} />
          </details>
        )}
        <Code label="Try it" text={`curl -H "Authorization: Bearer ${token}" ${location.origin}/api/posts?limit=1`} />
      </div>
    </Notice>
  )
}

/** What most assistants take to use an MCP server. */
function mcpConfiguration(token: string): string {
  const postrider = {
    type: 'http',
    url: `${location.origin}/mcp`,
    headers: { Authorization: `Bearer ${token}` },
  }
  return JSON.stringify({ mcpServers: { postrider } }, null, 2)
}

function Token({ token, onRevoked }: { token: ApiToken; onRevoked: () => void }) {
  const { id, name, scopes, site_ids, last_four, created_at, last_used_at, expires_at } = token
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const revoke = async () => {
    await api.tokens.revoke(id)
    onRevoked()
    await queries.invalidateQueries(tokensQuery)
  }
  const isOver = useIsPast(expires_at)
  return (
    <li className="grid grid-cols-1 gap-1 border-b border-line py-3 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span dir="auto" className="min-w-0 flex-1 basis-40 font-[550] wrap-anywhere">
          {name}
        </span>
        {isOver && <Badge tone="failed">Expired</Badge>}
        <span className="font-mono text-sm text-faint">pt_…{last_four}</span>
        <IconButton label={`Revoke ${name}`} size="sm" icon={<Trash2 />} onClick={() => setAsking(true)} />
      </div>
      <p className="text-sm text-quiet">
        {scopes.map((scope) => WORDS[scope].short).join(' · ')}
        {site_ids !== null && ` · for ${counted(site_ids.length, 'site', 'sites')} only`}
      </p>
      <p className="text-sm text-faint">
        Made <Ago at={created_at} />,{' '}
        {last_used_at === null ? (
          'never used'
        ) : (
          <>
            last used <Ago at={last_used_at} />
          </>
        )}
        {expires_at !== null && !isOver && (
          <>
            , ends <Ago at={expires_at} />
          </>
        )}
      </p>
      <Confirm open={asking} onOpenChange={setAsking} title="Revoke this token?" verb="Revoke" act={revoke}>
        <p>
          Whatever uses <bdi>“{name}”</bdi> stops working at once. This cannot be undone.
        </p>
      </Confirm>
    </li>
  )
}
