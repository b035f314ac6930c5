import type { z } from 'zod'
import type { MediumBody } from './wire.ts'

const URL = 'https://postrider.example.com/media/5f2b8c1e9a7d4036b1c8e2f4a6d90713/loaf.jpg'

/** The picture of the examples. */
export const exampleMedium: z.output<typeof MediumBody> = {
  id: '01a19b44-1c3e-7a52-8d10-6f2e4b8a9c35',
  sha256: '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab',
  name: 'Loaf.jpg',
  alt: 'A loaf of bread with a dark crust, on a wooden board.',
  type: 'image/jpeg',
  width: 600,
  height: 400,
  bytes: 48213,
  url: URL,
  variants: [
    { width: 320, type: 'image/webp', url: `${URL}?w=320&f=webp` },
    { width: 320, type: 'image/avif', url: `${URL}?w=320&f=avif` },
  ],
  used_in: [{ id: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071', title: 'Bread without kneading', status: 'published' }],
  created_at: new Date('2026-11-02T07:58:00.000Z'),
}
