/** Generating a draft: the brief, its progress, and then the editor. */
import type { GenerateDraft } from '@postrider/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../ui/page.tsx'
import { Brief } from './generate/brief.tsx'
import { Job } from './generate/job.tsx'

/** The screen: of the job in the address, or of a new one. */
export function Generate() {
  const { job } = useSearch({ from: '/inside/posts/generate' })
  const navigate = useNavigate()
  // Kept while the job runs, for another try.
  const [brief, setBrief] = useState<GenerateDraft>({ topic: '' })
  const show = (id: string | undefined) => void navigate({ to: '/posts/generate', search: { job: id }, replace: true })
  return (
    <Page
      narrow
      title="Draft from a topic"
      lead="Say what it is about and who it is for. The draft opens in the editor and is never published by itself."
    >
      {job === undefined ? (
        <Brief value={brief} onChange={setBrief} onBegun={show} />
      ) : (
        <Job key={job} id={job} asked={brief.topic === '' ? undefined : brief} onAgain={() => show(undefined)} />
      )}
    </Page>
  )
}
