// Runs before a script, in the same interpreter: takes away what makes results differ from run to run, and what can
// work on for hours without a step at which it could be stopped.
(() => {
  "use strict"
  const refuse = (what) => () => {
    throw new Error(`A script has no ${what}: the same request has to give the same result.`)
  }
  Math.random = refuse("chance")
  const clock = function Date() {
    refuse("clock")()
  }
  clock.now = clock.parse = clock.UTC = refuse("clock")
  globalThis.Date = clock

  const { apply } = Reflect
  const { create, defineProperty, getOwnPropertyDescriptor } = Object
  const { isArray } = Array
  const MAX_LENGTH = 5_000_000
  const guard = (owner, key) => {
    const property = getOwnPropertyDescriptor(owner, key)
    if (typeof property?.value !== "function") return
    const original = property.value
    const guarded = {
      [key](...args) {
        if (this !== null && this !== undefined && this.length > MAX_LENGTH) {
          throw new RangeError(`A list of ${this.length} items is longer than a script may work on.`)
        }
        for (let at = 0; at < args.length; at++) {
          if (isArray(args[at]) && args[at].length > MAX_LENGTH) {
            throw new RangeError(`A list of ${args[at].length} items is longer than a script may work on.`)
          }
        }
        return apply(original, this, args)
      },
    }[key]
    defineProperty(owner, key, { ...property, value: guarded })
  }
  for (const key of Reflect.ownKeys(Array.prototype)) {
    if (key !== "constructor") guard(Array.prototype, key)
  }

  // Where a function is called for each value that is written, the interpreter can be stopped.
  const { stringify } = JSON
  const asItIs = (key, value) => value
  const isBoxed = (value) => value instanceof String || value instanceof Number || value instanceof Boolean
  // What a list of keys leaves of each object.
  const picker = (list) => {
    const keys = []
    for (let at = 0; at < list.length; at++) {
      if (typeof list[at] === "string" || typeof list[at] === "number" || isBoxed(list[at])) {
        keys[keys.length] = `${list[at]}`
      }
    }
    return (key, value) => {
      if (typeof value !== "object" || value === null || isArray(value) || isBoxed(value)) return value
      const picked = create(null)
      for (let at = 0; at < keys.length; at++) picked[keys[at]] = value[keys[at]]
      return picked
    }
  }
  const stoppable = {
    stringify(value, replacer, space) {
      if (typeof replacer === "function") {
        return stringify(value, function (key, value) { return apply(replacer, this, [key, value]) }, space)
      }
      return stringify(value, isArray(replacer) ? picker(replacer) : asItIs, space)
    },
  }
  const property = getOwnPropertyDescriptor(JSON, "stringify")
  defineProperty(JSON, "stringify", { ...property, value: stoppable.stringify })
})()
