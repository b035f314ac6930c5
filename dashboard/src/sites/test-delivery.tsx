import type { TestDelivery } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api, sentence } from '../api.ts'
import { reasonOf } from '../delivery/reason.ts'
import { duration } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Spinner } from '../ui/spinner.tsx'

/** Whether the site has said that it keeps posts. A page that answers 200 to everything does not. */
export function provesIt({ success, store }: TestDelivery): boolean {
  return success && store !== undefined
}

const ASK_EVERY_MS = 5_000
const LONGEST_WAIT_MS = 5 * 60_000

type SendTestProps = { siteId: string; isHook?: boolean; waits?: boolean; onResult?: (result: TestDelivery) => void }

/**
 * Sends a test and shows what the site answered. With `waits`, at first, tests are sent by themselves until one proves that it works, as long as
 * somebody looks at the page.
 */
export function SendTest({ siteId, isHook = false, waits = false, onResult }: SendTestProps) {
  const [isWaiting, setWaiting] = useState(waits)
  const test = useQuery({
    queryKey: ['test', siteId],
    queryFn: ({ signal }) => api.sites.testDelivery(siteId, { signal }),
    enabled: isWaiting,
    refetchInterval: isWaiting && ASK_EVERY_MS,
    gcTime: 0,
  })
  const { data: result, isFetching } = test
  useEffect(() => {
    if (result === undefined) return
    if (provesIt(result)) setWaiting(false)
    onResult?.(result)
  }, [result, onResult])
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => setWaiting(false), LONGEST_WAIT_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  const isBusy = isFetching && !isWaiting
  return (
    <div className="grid grid-cols-1 gap-3">
      {isWaiting && (
        <p role="status" className="flex items-center gap-2 text-quiet">
          <Spinner /> Waiting for your site. This page sends a test every few seconds until one succeeds.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          kind={waits && !(result && provesIt(result)) ? 'primary' : 'secondary'}
          icon={<Send />}
          busy={isBusy}
          onClick={() => void test.refetch()}
        >
          {isBusy ? 'Waiting for the answer' : result === undefined ? 'Send a test' : 'Send another test'}
        </Button>
        {isWaiting && (
          <Button kind="quiet" onClick={() => setWaiting(false)}>
            Stop waiting
          </Button>
        )}
      </div>
      {/* While it waits, the times of the same answer change every few seconds: nobody wants to hear that. */}
      <div aria-live={isWaiting ? 'off' : 'polite'} className="grid grid-cols-1 gap-3 empty:hidden">
        {test.isError && !isBusy && <Notice tone="failed">{sentence(test.error)}</Notice>}
        {result !== undefined && !test.isError && !isBusy && (
          <Result result={result} isHook={isHook} isWaiting={isWaiting} />
        )}
      </div>
    </div>
  )
}

type ResultProps = { result: TestDelivery; isHook: boolean }

/** `isWaiting`: nobody expects that it works already, so that it does not is no failure. */
function Result({ result, isHook, isWaiting }: ResultProps & { isWaiting: boolean }) {
  const { success, store, response_code: code, troubleshooting } = result
  const response = unsaid(result)
  const isNotThereYet = isWaiting && code === 404
  return (
    <>
      {success ? (
        <Accepted result={result} isHook={isHook} isWaiting={isWaiting} />
      ) : isWaiting ? (
        <Notice title={`Not yet: ${withinSentence(answerOf(result, isHook))}.`}>{troubleshooting}</Notice>
      ) : (
        <Refused result={result} isHook={isHook} />
      )}
      {response !== undefined && store === undefined && !isNotThereYet && (
        <figure className="grid grid-cols-1 gap-1">
          <figcaption className="text-sm text-faint">What it said</figcaption>
          <pre className="max-h-48 overflow-y-auto rounded-md bg-well p-3 font-mono text-sm wrap-anywhere whitespace-pre-wrap ring-1 ring-line">
            {response}
          </pre>
        </figure>
      )}
    </>
  )
}

/** The answer of a site, unless it is JSON whose message is what was wrong: that is said already. */
function unsaid({ response, troubleshooting }: TestDelivery): string | undefined {
  try {
    return JSON.parse(response ?? '').message === troubleshooting ? undefined : response
  } catch {
    return response
  }
}

/** That it works is said only of a site that has tried to keep something, and says so. */
function Accepted({ result, isHook, isWaiting }: ResultProps & { isWaiting: boolean }) {
  const { store, response_time_ms: tookMs, message } = result
  if (isHook) return <Notice tone="arrived">{message}</Notice>
  if (store === undefined)
    return (
      <Notice
        tone="trying"
        title={`${isWaiting ? 'Not yet: the' : 'The'} site answered 200, but did not say that it keeps posts.`}
      >
        Does the code run there already? A receiver of your own may have nothing to say: then publish a post, and look
        whether it appears.
      </Notice>
    )
  const keeps = store === 'pull' ? 'reads posts from Postrider when a page needs them' : `keeps posts in ${store}`
  return (
    <Notice tone="arrived" title="It works.">
      Your site took the signed test in {duration(tookMs)}. It {keeps}.
    </Notice>
  )
}

function Refused({ result, isHook }: ResultProps) {
  return (
    <Notice tone="failed" title={`${answerOf(result, isHook)}, after ${duration(result.response_time_ms)}.`}>
      {result.troubleshooting}
    </Notice>
  )
}

/** `Your site answered 404`, or why there was no answer. */
function answerOf({ response_code: code, error }: TestDelivery, isHook: boolean): string {
  if (code !== null) return `${isHook ? 'The host' : 'Your site'} answered ${code}`
  return reasonOf(code, error ?? null) ?? 'No answer'
}

const withinSentence = (words: string) => words.charAt(0).toLowerCase() + words.slice(1)
