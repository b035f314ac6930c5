import type { PlanSection } from '../plan-section.ts'

/** Sections that explain how something is done. */
export function howTo(subject: string): PlanSection[] {
  return [
    {
      heading: 'What you need before you start',
      purpose: 'Let readers see at once whether they can begin today.',
      notes: [
        'Tools, material, access and knowledge, each with the plainest version that will do.',
        'The conditions under which it works at all, and the one that rules it out.',
        'How long it takes, with and without practice.',
        'What to prepare the day before.',
      ],
      questions: ['What do I really need?', 'How long will it take me?', 'Can I do it myself?'],
      weight: 1,
      from: 1,
      gist: 'what you need',
    },
    {
      heading: `How to ${subject}, step by step`,
      purpose: 'The heart of the article: somebody should be able to follow it with the page open beside them.',
      notes: [
        'Each step as one action, in the order in which it is done, with the reason where somebody might skip it.',
        'After each step: how you see that it worked.',
        'The step at which most people hesitate, in more detail than the others.',
        'Where to stop and continue another day.',
      ],
      questions: ['In which order?', 'How do I see that a step worked?', 'What if it does not?'],
      weight: 2,
      from: 1,
      gist: 'the steps in order',
    },
    {
      heading: 'How to tell that it worked',
      purpose: 'Readers leave sure of the result, not hoping.',
      notes: [
        'What it looks like when it is right: after an hour, a day, a month.',
        'A simple test.',
        'What looks wrong and is normal.',
      ],
      questions: ['How do I check the result?', 'When should I see a difference?'],
      weight: 0.8,
      from: 2,
      gist: 'how to check the result',
    },
    {
      heading: 'The mistakes that cost most',
      purpose: 'Your experience: what only somebody who has done it often can tell.',
      notes: [
        'Three to five mistakes, each with its cause and its first sign.',
        'How to put each right once it has happened.',
        'The well-meant advice that does not help.',
      ],
      questions: ['What goes wrong most often?', 'Can I still save it?'],
      weight: 1.2,
      from: 1,
      gist: 'the mistakes to avoid',
    },
    {
      heading: 'When to do it differently',
      purpose: 'The cases that the steps do not fit.',
      notes: [
        'Special cases, with what changes for each.',
        'A quicker way, and what it gives up.',
        'When to leave it to somebody who does it for a living.',
      ],
      questions: ['What if my case is different?', 'Is there a shortcut?'],
      weight: 1,
      from: 2,
      gist: 'the special cases',
    },
    {
      heading: 'What it costs in time and money',
      purpose: 'Figures of your own, with what they depend on.',
      notes: [
        'The cheapest sensible way and the comfortable one, side by side.',
        'Costs that come later.',
        'What is not worth paying for.',
      ],
      questions: ['What will I have spent at the end?', 'Where can I save?'],
      weight: 0.9,
      from: 3,
      gist: 'the costs',
    },
    {
      heading: 'Keeping it that way',
      purpose: 'What comes afterwards, so that the work lasts.',
      notes: [
        'What to look after, how often.',
        'The first sign that something has to be done again.',
        'What to write down for next time.',
      ],
      questions: ['How often do I have to do this?', 'What do I watch for?'],
      weight: 0.8,
      from: 3,
      gist: 'how to keep it that way',
    },
  ]
}
