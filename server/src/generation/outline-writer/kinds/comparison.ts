import { capital, withinSentence } from '../capital.ts'
import type { PlanSection } from '../plan-section.ts'

/** Sections that compare two things, one of which has to be chosen. */
export function comparison(first: string, second: string): PlanSection[] {
  const [a, b] = [first, second].map(withinSentence) as [string, string] // a pair stays one
  return [
    {
      heading: `${capital(a)} and ${b}: the short answer`,
      purpose: 'Answer first: who should take which, in two sentences.',
      notes: [
        'For whom the choice is clear, and why.',
        'The one question that decides for everybody else.',
        'What both have in common and therefore does not matter.',
      ],
      questions: ['Which one is right for me?', 'Does it matter at all?'],
      weight: 0.8,
      from: 1,
      gist: 'the short answer',
    },
    {
      heading: 'Where they really differ',
      purpose: 'A table of the four to six differences that change a decision; leave out the rest.',
      notes: [
        'One row per difference: what it means in use, not in the brochure.',
        'A worked example that brings the largest difference out.',
        'Differences that are often named and make none.',
      ],
      questions: ['What will I notice every day?', 'What only shows after a year?'],
      weight: 1.6,
      from: 1,
      gist: 'the differences that matter',
    },
    {
      heading: `When ${a} is the better choice`,
      purpose: 'Cases, not adjectives.',
      notes: [
        'Two or three situations, each concrete enough to recognise.',
        'What you give up with it.',
        'For whom it is wrong although it is often recommended.',
      ],
      questions: [`Who should choose ${a}?`, 'What is the catch?'],
      weight: 1.2,
      from: 1,
      gist: `when to choose ${a}`,
    },
    {
      heading: `When ${b} is the better choice`,
      purpose: 'The same for the other side, with the same fairness.',
      notes: [
        'Two or three situations, each concrete enough to recognise.',
        'What you give up with it.',
        'For whom it is wrong although it is often recommended.',
      ],
      questions: [`Who should choose ${b}?`, 'What is the catch?'],
      weight: 1.2,
      from: 1,
      gist: `when to choose ${b}`,
    },
    {
      heading: 'What it costs to change your mind',
      purpose: 'Take the fear out of the decision, or justify it.',
      notes: [
        'What can be undone and what cannot.',
        'What moving from one to the other takes.',
        'A way to try before deciding.',
      ],
      questions: ['Am I locked in?', 'Can I try both?'],
      weight: 0.9,
      from: 2,
      gist: 'what a change costs',
    },
    {
      heading: 'How to decide in five questions',
      purpose: 'Something to use: the reader answers and knows.',
      notes: ['Five questions in order of weight, each with what its answer means.', 'What to do when they disagree.'],
      questions: ['What should I look at first?', 'What if it is a tie?'],
      weight: 1,
      from: 2,
      gist: 'how to decide',
    },
    {
      heading: 'Neither of the two',
      purpose: 'Honesty about alternatives.',
      notes: ['The third possibility, and who should look at it.', 'When not to decide now.'],
      questions: ['Is there something better?'],
      weight: 0.7,
      from: 3,
      gist: 'the alternatives',
    },
  ]
}
