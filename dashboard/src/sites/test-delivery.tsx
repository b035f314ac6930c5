import type { TestDelivery } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { api, sentence } from '../api.ts'
import { reasonOf } from '../delivery/reason.ts'
import { duration } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

type SendTestProps = { siteId: string; primary?: boolean; onResult?: (result: TestDelivery) => void }

/** Sends a test and shows what the site answered, word for word. */
export function SendTest({ siteId, primary = false, onResult }: SendTestProps) {
  const test = useMutation({
    mutationFn: () => api.sites.testDelivery(siteId),
    onSuccess: (result) => onResult?.(result),
  })
  return (
    <div className="grid grid-cols-1 gap-3">
      <div>
        <Button
          kind={primary ? 'primary' : 'secondary'}
          icon={<Send />}
          busy={test.isPending}
          onClick={() => test.mutate()}
        >
          {test.isPending ? 'Waiting for the answer' : test.data === undefined ? 'Send a test' : 'Send another test'}
        </Button>
      </div>
      <div aria-live="polite" className="grid grid-cols-1 gap-3 empty:hidden">
        {test.isError && <Notice tone="failed">{sentence(test.error)}</Notice>}
        {test.data !== undefined && !test.isPending && <Result result={test.data} />}
      </div>
    </div>
  )
}

function Result({ result }: { result: TestDelivery }) {
  const { success, response_code: code, response_time_ms: tookMs, error = null, troubleshooting, response } = result
  const answered = code === null ? (reasonOf(code, error) ?? 'No answer') : `Your site answered ${code}`
  return (
    <>
      <Notice tone={success ? 'arrived' : 'failed'} title={`${answered}, after ${duration(tookMs)}.`}>
        {success ? 'It accepts signed webhooks. Posts are sent the same way.' : troubleshooting}
      </Notice>
      {response !== undefined && (
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
