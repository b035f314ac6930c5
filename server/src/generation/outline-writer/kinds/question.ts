import type { PlanSection } from '../plan-section.ts'

/** Sections that answer a question. */
export function question(): PlanSection[] {
  return [
    {
      heading: 'The short answer',
      purpose: 'Two or three sentences that answer the question as asked. Search engines may quote them.',
      notes: ['The answer for most people.', 'The condition under which it is the other one.', 'How sure one can be.'],
      questions: ['Yes or no?', 'How much, how long, when?'],
      weight: 0.7,
      from: 1,
      gist: 'the short answer',
    },
    {
      heading: 'What it depends on',
      purpose: 'Let readers find themselves.',
      notes: [
        'The two or three things that change the answer, the weightiest first.',
        'For each: how to find out where one stands.',
        'What people think matters and does not.',
      ],
      questions: ['Why do I read different answers?', 'What is it in my case?'],
      weight: 1.3,
      from: 1,
      gist: 'what it depends on',
    },
    {
      heading: 'Three typical cases',
      purpose: 'Examples worked through, with the numbers a reader can replace by their own.',
      notes: ['The ordinary case.', 'The one in which the answer tips over.', 'The one that everybody forgets.'],
      questions: ['Which case is mine?', 'What would you do in it?'],
      weight: 1.5,
      from: 1,
      gist: 'typical cases',
    },
    {
      heading: 'How to find the answer for yourself',
      purpose: 'A way to check, for readers whose case is none of these.',
      notes: ['What to measure, look up or ask.', 'Whom to ask, and what to ask them.', 'How to read the result.'],
      questions: ['Where do I look it up?', 'Whom can I ask?'],
      weight: 1.1,
      from: 1,
      gist: 'how to find out',
    },
    {
      heading: 'What happens if you get it wrong',
      purpose: 'The stakes, without drama.',
      notes: [
        'What it costs to be too careful, and what to be too bold.',
        'What can be put right afterwards.',
        'The point at which to ask somebody who knows.',
      ],
      questions: ['How bad is it?', 'Can I undo it?'],
      weight: 0.9,
      from: 2,
      gist: 'what is at stake',
    },
    {
      heading: 'What to do now',
      purpose: 'The answer turned into a step.',
      notes: ['The next step, for each of the cases.', 'When to ask the question again.'],
      questions: ['What is the first thing to do?'],
      weight: 0.8,
      from: 2,
      gist: 'what to do',
    },
    {
      heading: 'Where the rules of thumb come from',
      purpose: 'Background for readers who want to understand, not only to follow.',
      notes: [
        'The reasoning behind the usual answer.',
        'What has changed since it was coined.',
        'Sources worth reading.',
      ],
      questions: ['Who says so?'],
      weight: 0.9,
      from: 3,
      gist: 'the background',
    },
  ]
}
