import type { GenerateDraft } from '@postrider/sdk'
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Sparkles } from 'lucide-react'
import { api, problemOf, sentence } from '../../api.ts'
import { accountQuery, sitesQuery } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Radio, Switch } from '../../ui/choice.tsx'
import { Field, Select, Textarea } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'
import { TagsInput } from '../../ui/tags-input.tsx'

const LENGTHS = [
  ['short', 'Short', 'About 800 words'],
  ['medium', 'Medium', 'About 1,500 words'],
  ['long', 'Long', 'About 2,500 words'],
] as const

const TONES = [
  ['professional', 'Professional'],
  ['casual', 'Casual'],
  ['educational', 'Educational'],
  ['persuasive', 'Persuasive'],
] as const

/** The limits of the API. */
const MOST = { topic: 500, keywords: 20, keyword: 80 }
const LEAST_TOPIC = 3

type BriefProps = { value: GenerateDraft; onChange: (value: GenerateDraft) => void; onBegun: (jobId: string) => void }

/** The form of a brief. */
export function Brief({ value, onChange, onBegun }: BriefProps) {
  const sites = useQuery(sitesQuery)
  const begin = useMutation({
    mutationFn: () => api.drafts.generate({ ...value, topic: value.topic.trim() }),
    onSuccess: ({ job_id: id }) => onBegun(id),
  })
  const set = (part: Partial<GenerateDraft>) => onChange({ ...value, ...part })
  const chosen = sites.data?.sites.find(({ id }) => id === value.site_id)
  const topicProblem = problemOf(begin.error, 'topic')
  return (
    <>
      <Writer />
      <Sheet>
        <form
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault()
            if (!begin.isPending) begin.mutate()
          }}
        >
          <Field label="Topic" required error={topicProblem} hint="A subject, a question or a working title.">
            <Textarea
              autoFocus
              rows={2}
              minLength={LEAST_TOPIC}
              maxLength={MOST.topic}
              placeholder="How to water tomatoes in a hot summer"
              value={value.topic}
              onChange={({ target }) => set({ topic: target.value })}
            />
          </Field>
          <Field label="Site" hint={siteHint(chosen)}>
            <Select
              value={value.site_id ?? ''}
              onChange={({ target }) => {
                const { site_id: _, ...rest } = value
                onChange(target.value === '' ? rest : { ...rest, site_id: target.value })
              }}
            >
              <option value="">For no site in particular</option>
              {sites.data?.sites.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
          <fieldset className="grid gap-2">
            <legend className="mb-2 font-[550]">Length</legend>
            <div className="grid gap-2 sm:grid-cols-3">
              {LENGTHS.map(([length, name, words]) => (
                <Radio
                  key={length}
                  name="length"
                  label={name}
                  hint={words}
                  checked={(value.length ?? 'medium') === length}
                  onChange={() => set({ length })}
                />
              ))}
            </div>
          </fieldset>
          <Field label="Tone">
            <Select
              value={value.tone ?? 'professional'}
              onChange={({ target }) => {
                const tone = TONES.find(([name]) => name === target.value)?.[0]
                if (tone !== undefined) set({ tone })
              }}
            >
              {TONES.map(([tone, name]) => (
                <option key={tone} value={tone}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
          <Field
            label="Keywords"
            hint="What readers search for, the main keyword first. Press Enter or comma after each."
            error={problemOf(begin.error, 'target_keywords')}
          >
            <TagsInput
              value={value.target_keywords ?? []}
              most={MOST.keywords}
              maxLength={MOST.keyword}
              onChange={(keywords) => set({ target_keywords: keywords })}
            />
          </Field>
          <Switch
            label="Questions and answers"
            hint="A section of them at the end, also as structured data for search engines."
            checked={value.include_faq ?? false}
            onChange={({ target }) => set({ include_faq: target.checked })}
          />
          {begin.isError && topicProblem === undefined && <Notice tone="failed">{sentence(begin.error)}</Notice>}
          <div className="flex justify-end">
            <Button kind="primary" type="submit" icon={<Sparkles />} busy={begin.isPending}>
              Write the draft
            </Button>
          </div>
        </form>
      </Sheet>
    </>
  )
}

function siteHint(site: { niche: string } | undefined): string {
  if (site === undefined) return 'If you choose a site, its subject and its published posts are taken into account.'
  return site.niche === '' ? 'You can say in the site’s settings what it is about.' : `About: ${site.niche}`
}

/** Says what writes drafts: a model, or only the outline writer. */
function Writer() {
  const { model } = useSuspenseQuery(accountQuery).data.generation
  if (model !== null)
    return (
      <Notice>
        Written by <span className="font-mono text-sm">{model}</span>. Read it as you would a stranger’s text: check its
        facts and figures.
      </Notice>
    )
  return (
    <Notice title="No language model is configured">
      You get an outline to write from: sections with notes and lengths, questions that readers ask, places for
      keywords, and the fields for search engines. The operator of this service can connect a model.
    </Notice>
  )
}
