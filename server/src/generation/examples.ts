/** The job of the documentation's examples at its stages. It writes the post of all examples. */

import { exampleDraft } from '../posts/index.ts'
import { exampleSite } from '../sites/index.ts'

const { deliveries: _, ...post } = exampleDraft

/** Ways to ask for a draft. */
export const exampleRequests = {
  'Only a topic': { topic: 'Bread without kneading' },
  'For a site': {
    topic: 'Bread without kneading',
    site_id: exampleSite.id,
    length: 'medium',
    tone: 'casual',
    include_faq: true,
    target_keywords: ['bread without kneading', 'overnight dough'],
  },
}

const JOB_ID = '01a19b44-9c3e-7b61-8f52-4d7a0e93c1b8'

/** Just started. */
export const exampleBegun = {
  job_id: JOB_ID,
  status: 'processing',
  poll_url: `/api/posts/generate/${JOB_ID}`,
  estimated_seconds: 68,
  progress: { step: 'outline', percent: 0 },
  generator: 'openai-compatible/llama3.1',
  target_words: 1500,
  actual_words: null,
  warnings: [],
  keywords: [],
  faq: [],
  structured_data: null,
  tokens: { input: 0, output: 0 },
  created_at: '2026-11-02T07:57:48.000Z',
  finished_at: null,
}

/** In progress. */
export const exampleUnderWay = {
  ...exampleBegun,
  estimated_seconds: 31,
  progress: { step: 'sections', percent: 50, part: 5, parts: 7 },
  tokens: { input: 6120, output: 1894 },
}

/** Complete, with its draft. */
export const exampleComplete = {
  ...exampleBegun,
  status: 'complete',
  estimated_seconds: 0,
  progress: { step: 'saving', percent: 100 },
  actual_words: 1467,
  warnings: ['Check the figures before you publish: 75 %.'],
  keywords: [
    {
      keyword: 'bread without kneading',
      primary: true,
      occurrences: 7,
      density: 1.4,
      in_title: true,
      in_slug: true,
      in_description: true,
      in_introduction: true,
      in_headings: true,
    },
  ],
  faq: [{ question: 'How long does the dough keep?', answer: 'Three days in the refrigerator, well covered.' }],
  structured_data: {
    '@context': 'https://schema.org',
    '@type': 'FAQPage',
    mainEntity: [
      {
        '@type': 'Question',
        name: 'How long does the dough keep?',
        acceptedAnswer: { '@type': 'Answer', text: 'Three days in the refrigerator, well covered.' },
      },
    ],
  },
  tokens: { input: 11_204, output: 3_310 },
  post,
  finished_at: '2026-11-02T07:58:51.000Z',
}

/** Failed. */
export const exampleFailed = {
  ...exampleUnderWay,
  status: 'failed',
  estimated_seconds: 0,
  error: {
    code: 'model_quota',
    message:
      'The credit with the model’s provider is used up. Ask the operator to top it up, then start the draft again.',
  },
  finished_at: '2026-11-02T07:58:20.000Z',
}
