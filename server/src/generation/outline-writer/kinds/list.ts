import type { PlanSection } from '../plan-section.ts'

/** Sections that list a choice of things, with reasons. */
export function list(subject: string): PlanSection[] {
  return [
    {
      heading: `How these ${subject} were chosen`,
      purpose: 'Trust: say what you looked at, before the first entry.',
      notes: [
        'Your criteria, in order of weight.',
        'What you have used yourself, and what you know from others.',
        'What you left out on purpose.',
      ],
      questions: ['Why should I believe this list?', 'Who is it for?'],
      weight: 0.8,
      from: 1,
      gist: 'how they were chosen',
    },
    {
      heading: 'The list',
      purpose: 'One short block per entry, all built alike, so that they can be compared.',
      notes: [
        'For each: what it is, what it is best at, what it is not for, what it costs.',
        'One detail per entry that only somebody who knows it would tell.',
        'The best one for most people first, with the reason.',
      ],
      questions: ['What is the best one for most people?', 'What is the cheapest one that will do?'],
      weight: 2.4,
      from: 1,
      gist: 'the list with reasons',
    },
    {
      heading: 'Which one fits you',
      purpose: 'From the list to a decision.',
      notes: [
        'Three typical readers, and which entry each should take.',
        'The question that decides between the first two.',
        'A table if there are more than five entries.',
      ],
      questions: ['I am in this situation: which one?', 'What do I look at first?'],
      weight: 1.2,
      from: 1,
      gist: 'which one fits whom',
    },
    {
      heading: 'What to avoid',
      purpose: 'Save readers the bad purchase or the wasted evening.',
      notes: [
        'What is often recommended and disappoints, with the reason.',
        'Signs by which you know a bad one.',
        'Promises that cannot be kept.',
      ],
      questions: ['What should I not fall for?'],
      weight: 0.9,
      from: 2,
      gist: 'what to avoid',
    },
    {
      heading: 'Getting the most out of your choice',
      purpose: 'What comes after choosing.',
      notes: ['The first thing to do with it.', 'The setting or habit that most people miss.', 'When to choose again.'],
      questions: ['How do I begin?', 'When is it time to change?'],
      weight: 1,
      from: 2,
      gist: 'how to use them',
    },
    {
      heading: 'How the list may change',
      purpose: 'Lists age; say how this one will.',
      notes: ['What is moving in this field.', 'What would put a new entry at the top.'],
      questions: ['Is this still true next year?'],
      weight: 0.6,
      from: 3,
      gist: 'what may change',
    },
  ]
}
