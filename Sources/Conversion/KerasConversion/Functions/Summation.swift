import Bytes

/// The subscripts of an Einstein summation: a letter for each axis.
struct Summation {
  /// The letters of each tensor's axes. A letter may occur twice in one tensor.
  let inputs: [[Character]]
  /// The letters of the result's axes, all different.
  let output: [Character]

  /// Creates a summation of letters that are known to fit.
  init(inputs: [[Character]], output: [Character]) {
    self.inputs = inputs
    self.output = output
  }

  /// Reads `ab,bc->ac`; without an arrow the output has the letters that occur once, in
  /// alphabetical order. An ellipsis stands for the axes that have no letter; they are broadcast.
  init(_ text: String, ranks: [Int]) throws(WeighbridgeError) {
    let sides = text.filter { $0 != " " }.split(separator: "->", omittingEmptySubsequences: false)
    let parts = sides[0].split(separator: ",", omittingEmptySubsequences: false)
    guard sides.count <= 2, parts.count == ranks.count else {
      throw .malformed("subscripts=\(text) do not fit \(ranks.count.counted("tensor"))")
    }
    var inputs: [[Character]] = []
    var broadcast: [Character] = []
    for (part, rank) in zip(parts, ranks) {
      let count = rank - part.count { $0 != "." }
      guard count == 0 || part.contains("..."), (0...32).contains(count) else {
        throw .malformed("subscripts=\(text) do not fit tensors of \(ranks) axes")
      }
      let letters = Self.axes(count)
      if letters.count > broadcast.count { broadcast = letters }
      inputs.append(try Self.letters(part, letters, text))
    }
    self.inputs = inputs
    let all = inputs.flatMap { $0 }
    let once = Set(all).subtracting(broadcast).filter { letter in all.count { $0 == letter } == 1 }
    output =
      sides.count == 2
      ? try Self.letters(sides[1], sides[1].contains("...") ? broadcast : [], text)
      : broadcast + once.sorted()
    guard Set(output).count == output.count, Set(output).isSubset(of: all),
      Set(broadcast).isSubset(of: output)
    else {
      throw .unsupported(
        "subscripts=\(text), whose result must have each of its letters once and every axis of the "
          + "ellipsis")
    }
  }

  /// Letters that no text has, for the axes of an ellipsis; the last one is always the same.
  private static func axes(_ count: Int) -> [Character] {
    (0..<count).reversed().map { Character(Unicode.Scalar(UInt8(128 + $0))) }
  }

  private static func letters(
    _ text: Substring, _ ellipsis: [Character], _ all: String
  ) throws(WeighbridgeError) -> [Character] {
    let parts = text.split(separator: "...", omittingEmptySubsequences: false)
    let letters = parts.joined()
    guard parts.count <= 2, letters.allSatisfy({ $0.isASCII && $0.isLetter }) else {
      throw .unsupported("subscripts=\(all), which are not letters and one ellipsis")
    }
    return parts.count == 2 ? Array(parts[0]) + ellipsis + Array(parts[1]) : Array(letters)
  }
}
