import type { PlanSection } from '../plan-section.ts'

/** Sections that argue for a claim. */
export function argument(): PlanSection[] {
  return [
    {
      heading: 'The claim, in one paragraph',
      purpose: 'Say plainly what you hold, so that it can be disagreed with.',
      notes: [
        'The claim in one sentence, without hedging.',
        'What is at stake for the reader.',
        'What you do not claim.',
      ],
      questions: ['What exactly is being said?', 'Why does it matter to me?'],
      weight: 0.8,
      from: 1,
      gist: 'the claim',
    },
    {
      heading: 'The strongest reason',
      purpose: 'One reason in full is worth more than five in passing.',
      notes: [
        'The reason, and the mechanism behind it.',
        'An example from your own work, with its particulars.',
        'What would have to be true for it not to hold.',
      ],
      questions: ['How do you know?', 'Can I see it in my own case?'],
      weight: 1.6,
      from: 1,
      gist: 'the strongest reason',
    },
    {
      heading: 'Two more reasons that stand by themselves',
      purpose: 'Support that does not lean on the first reason.',
      notes: [
        'Each with an example of its own.',
        'Figures only with a source you have read.',
        'Where the reasons meet.',
      ],
      questions: ['Is there more than one case?', 'What do others find?'],
      weight: 1.4,
      from: 2,
      gist: 'further reasons',
    },
    {
      heading: 'What speaks against it',
      purpose: 'The best objection in its best form; readers notice when it is missing.',
      notes: [
        'The objection as its holder would put it.',
        'What is right about it.',
        'Why the claim stands nevertheless, or where it ends.',
      ],
      questions: ['Who disagrees, and why?', 'When is it wrong?'],
      weight: 1.2,
      from: 1,
      gist: 'the best objection',
    },
    {
      heading: 'What follows for you',
      purpose: 'From agreeing to doing.',
      notes: [
        'What to do differently from tomorrow, in its smallest form.',
        'What to stop doing.',
        'How to see whether it was right for you.',
      ],
      questions: ['What should I do now?', 'How do I know that it works?'],
      weight: 1.1,
      from: 1,
      gist: 'what follows from it',
    },
    {
      heading: 'How we came to do it otherwise',
      purpose: 'The history or habit behind the common practice: understanding makes agreeing easier.',
      notes: ['Where the common practice comes from.', 'What it was once good for.', 'What has changed since.'],
      questions: ['Why does everybody do it the other way?'],
      weight: 0.9,
      from: 3,
      gist: 'how it came about',
    },
  ]
}
