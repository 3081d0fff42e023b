package import JSON

/// A custom layer as its author describes it, where the description is one of the usual
/// expressions: a scale and an offset such as `(x+1)*127.5`, a crop such as `x[:, 2:-2, 2:-2]`, or
/// `x * sigmoid(x)`. Without an expression, the name of its class is used.
package struct DescribedLayer {
  /// The entry of a mapping file for such a layer.
  package let mapping: JSONObject

  /// The largest length in bytes of a description that is parsed.
  private static let lengthLimit = 400

  /// - Returns: `nil` when the description contains no known expression, or more than one.
  package init?(className: String, description: String) {
    guard description.utf8.count <= Self.lengthLimit else { return nil }
    let tokens = ExpressionToken.tokens(of: description)
    let isPlain = !tokens.contains { $0 == .variable || $0.isCall }
    let mapping =
      isPlain
      ? Self.activation(ofClass: className)
      : Self.swish(tokens) ?? Self.crop(tokens) ?? Self.rescaling(tokens)
    guard let mapping else { return nil }
    self.mapping = mapping
  }

  /// The mapping for a class that is named after an activation function.
  private static func activation(ofClass className: String) -> JSONObject? {
    var name = className.lowercased().filter { $0.isLetter || $0.isNumber }
    for word in ["layer", "lambda", "activation", "custom"] { name.replace(word, with: "") }
    switch name {
    case "swish", "silu": return activation("swish")
    case "mish": return activation("mish")
    case "relu6": return layer("ReLU", ["max_value": .integer(6)])
    case "identity": return activation("linear")
    default: return nil
    }
  }

  private static func activation(_ name: String) -> JSONObject {
    layer("Activation", ["activation": .string(name)])
  }

  private static func layer(_ className: String, _ config: JSONObject) -> JSONObject {
    ["class_name": .string(className), "config": .object(config)]
  }

  private static func swish(_ tokens: [ExpressionToken]) -> JSONObject? {
    let plain = tokens.filter { !$0.isWord }
    let call: [ExpressionToken] = [.call("sigmoid"), .symbol("("), .variable, .symbol(")")]
    let isSwish =
      plain == [.variable, .symbol("*")] + call || plain == call + [.symbol("*"), .variable]
    return isSwish && !tokens.contains(where: \.impliesMoreComputation) ? activation("swish") : nil
  }

  /// Crops of the height and the width: `x[:, a:-b, c:-d]` of channels-last images, or
  /// `x[:, :, a:-b, c:-d]` of channels-first ones.
  private static func crop(_ tokens: [ExpressionToken]) -> JSONObject? {
    let formula = tokens.filter { !$0.isWord }
    guard formula.starts(with: [.variable, .symbol("[")]), formula.last == .symbol("]"),
      !tokens.contains(where: \.isCall)
    else { return nil }
    let ranges = formula.dropFirst(2).dropLast().split(
      separator: .symbol(","), omittingEmptySubsequences: false
    ).map { Self.cropping(Array($0)) }
    let whole = [0, 0]
    let known = ranges.compactMap(\.self)
    guard known.count == ranges.count, [3, 4].contains(known.count), known[0] == whole else {
      return nil
    }
    let isChannelsFirst = known.count == 4 && known[1] == whole && known[3] != whole
    guard isChannelsFirst || known.count == 3 || known[3] == whole else { return nil }
    let image = isChannelsFirst ? known[2...] : known[1...2]
    guard image.contains(where: { $0 != whole }) else { return nil }
    let amounts = Set(image.joined())
    if amounts.count == 1, let amount = amounts.first {
      return layer("Cropping2D", ["cropping": .integer(amount)])
    }
    let cropping = image.map { JSONValue.array($0.map(JSONValue.integer)) }
    return layer("Cropping2D", ["cropping": .array(cropping)])
  }

  /// The numbers of elements that a range omits before and after it; `nil` where they depend on the
  /// size.
  private static func cropping(_ range: [ExpressionToken]) -> [Int]? {
    let bounds = range.split(separator: .symbol(":"), omittingEmptySubsequences: false).map(
      Array.init)
    guard bounds.count == 2 else { return nil }
    let (start, stop) = (bounds[0], bounds[1])
    var before = 0
    if !start.isEmpty {
      guard start.count == 1, let number = start[0].integer else { return nil }
      before = number
    }
    if stop.isEmpty { return [before, 0] }
    guard stop.count == 2, stop[0] == .symbol("-"), let after = stop[1].integer, after > 0 else {
      return nil
    }
    return [before, after]
  }

  /// A scale and an offset.
  private static func rescaling(_ tokens: [ExpressionToken]) -> JSONObject? {
    guard
      !tokens.contains(where: {
        $0.isCall || $0 == .symbol("[") || $0.impliesMoreComputation
      })
    else { return nil }
    let runs = tokens.split(omittingEmptySubsequences: false, whereSeparator: \.isWord)
    let formulas = runs.filter { $0.contains(.variable) }
    guard formulas.count == 1, let formula = formulas.first else { return nil }
    // The left operand of an operator that follows a word is the word.
    let followsWord =
      formula.startIndex > 0 && tokens[formula.startIndex - 1] != .word("return")
    if followsWord, let first = formula.first, [.symbol("-"), .symbol("+")].contains(first) {
      return nil
    }
    var parser = LinearExpression.Parser(Array(formula))
    guard let result = parser.whole(), result.scale != 0, result != .variable,
      result.scale.isFinite, result.offset.isFinite
    else { return nil }
    return layer("Rescaling", ["scale": .real(result.scale), "offset": .real(result.offset)])
  }
}
