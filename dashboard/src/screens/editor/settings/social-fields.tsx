import { Images } from 'lucide-react'
import { useState } from 'react'
import { ChoosePicture } from '../../../media/choose-picture.tsx'
import { Button } from '../../../ui/button.tsx'
import { Sheet } from '../../../ui/page.tsx'
import { AddressField } from './address-field.tsx'
import { type FieldsProps, fieldsOf } from './fields.ts'
import { SocialPreview } from './previews.tsx'

/** How social networks show the post. */
export function SocialFields(props: FieldsProps & { words: string; host: string }) {
  const { view, editable } = props
  const { draft } = view
  const { set, errorOf } = fieldsOf(props)
  const [isChoosing, setChoosing] = useState(false)
  return (
    <Sheet title="On social networks">
      <div className="grid grid-cols-1 gap-4">
        <SocialPreview draft={draft} words={props.words} host={props.host} />
        <AddressField
          label="Picture"
          hint="It also stands for the post in lists of sites that show pictures there. About 1200 × 630 pixels suits most."
          value={draft.ogImage}
          readOnly={!editable}
          isWrong={errorOf('ogImage') !== undefined}
          onCommit={(ogImage) => set({ ogImage })}
        />
        {editable && (
          <div>
            <Button size="sm" icon={<Images />} onClick={() => setChoosing(true)}>
              Choose or upload
            </Button>
          </div>
        )}
      </div>
      {isChoosing && (
        <ChoosePicture
          onClose={() => setChoosing(false)}
          onChoose={({ url }) => {
            setChoosing(false)
            set({ ogImage: url })
          }}
        />
      )}
    </Sheet>
  )
}
