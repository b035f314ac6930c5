/** The delivery of the documentation's examples: it brought the post to the site. */
export const exampleDeliveryId = '01a19b45-b800-7b3a-8f62-1d9c4e7a5b03'
