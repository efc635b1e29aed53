// Tools and callbacks of the desk.

const CARD = /\b(?:\d[ -]?){13,16}\b/g
const LONG = 200

export function order({number}) {
  const steps = Array.from({length: 40}, (_, at) => `scanned at depot ${at + 1}`)
  return {number, status: 'on its way', steps}
}

// Before a model: the request is sent as it is left here.
export function hide_cards(_, {request}) {
  for (const {parts} of request.contents) {
    for (const part of parts) {
      if (part.text) part.text = part.text.replace(CARD, '[a card]')
    }
  }
}

// Before a tool: what is returned is its result, and the tool is not called.
export function remembered({tool}, {args, state}) {
  return state[`seen:${tool}:${args.number}`] ?? null
}

// After a tool: what is returned takes the place of its result.
export function shorten({tool, result}, context) {
  const {steps = [], ...short} = result
  if (JSON.stringify(result).length > LONG) short.last_step = steps.at(-1)
  context.state[`seen:${tool}:${context.args.number}`] = short
  return short
}

// After an agent: what is returned is said behind its words.
export function sign({agent}, {state}) {
  const n = Object.keys(state).filter((key) => key.startsWith('seen:')).length
  return `(${agent}: ${n} looked up)`
}
