import ArgumentParser
import Weighbridge

/// `OLD=NEW`, or `NEW` when there is only one name to change.
struct RenameArgument: ExpressibleByArgument {
  let rename: DescriptionEdit.Rename

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "=") else {
      guard !argument.isEmpty else { return nil }
      rename = .init(old: nil, new: argument)
      return
    }
    let (old, new) = (argument[..<sign], argument[argument.index(after: sign)...])
    guard !old.isEmpty, !new.isEmpty else { return nil }
    rename = .init(old: String(old), new: String(new))
  }
}

/// `NAME=TEXT`.
struct PairArgument: ExpressibleByArgument {
  let key: String
  let value: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
    key = String(argument[..<sign])
    value = String(argument[argument.index(after: sign)...])
  }
}

/// `INPUT=VALUE`: a number, `true` or `false`, a list in brackets, or `@` and the path of a NumPy file.
struct FixedInputArgument: ExpressibleByArgument {
  let name: String
  let value: InputValue

  init?(argument: String) {
    // The name of an input may contain an equals sign; a value hardly does.
    guard let sign = argument.lastIndex(of: "="), sign != argument.startIndex,
      let value = InputValue(String(argument[argument.index(after: sign)...]))
    else { return nil }
    name = String(argument[..<sign])
    self.value = value
  }
}

/// `8,None,3`, or `NAME=8,None,3`.
struct InputShapeArgument: ExpressibleByArgument {
  let shape: InputShape

  init?(argument: String) {
    guard let shape = InputShape(argument) else { return nil }
    self.shape = shape
  }
}

/// A number or a fraction: `1/255`.
struct FractionArgument: ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    guard numbers.count == parts.count, (1...2).contains(numbers.count) else { return nil }
    let value = numbers.count == 2 ? numbers[0] / numbers[1] : numbers[0]
    guard value.isFinite else { return nil }
    self.value = value
  }
}

/// Numbers separated by commas; each may be a fraction.
struct NumbersArgument: ExpressibleByArgument {
  let values: [Double]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.map { part in
      FractionArgument(argument: String(part.drop { $0 == " " }))?.value
    }
    guard !numbers.contains(nil) else { return nil }
    values = numbers.compactMap { $0 }
  }
}

/// `ABS`, or `ABS,REL`.
struct ToleranceArgument: ExpressibleByArgument {
  static let help = ArgumentHelp(
    """
    How far computed outputs may be from the reference outputs: by ABS, and by REL times the largest \
    wanted number (0 by default). Without it, the tolerance is that of the model's number types.
    """, valueName: "abs[,rel]")

  let tolerance: Tolerance

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }.filter { $0 >= 0 && $0.isFinite }
    guard numbers.count == parts.count, (1...2).contains(numbers.count) else { return nil }
    tolerance = Tolerance(absolute: numbers[0], relative: numbers.count == 2 ? numbers[1] : 0)
  }
}

/// Sizes of images separated by commas: `416x416,608x320`, width before height.
struct SizesArgument: ExpressibleByArgument {
  let sizes: [ImageSize]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let sizes = parts.compactMap { part -> ImageSize? in
      let sides = part.split(separator: "x", omittingEmptySubsequences: false).compactMap {
        Int($0)
      }
      guard sides.count == 2, sides.allSatisfy({ 1...65_536 ~= $0 }) else { return nil }
      return ImageSize(width: sides[0], height: sides[1])
    }
    guard sizes.count == parts.count else { return nil }
    self.sizes = sizes
  }
}

/// A size in bytes: `512`, `64K`, `100M`, `2G` (powers of 1,024).
struct SizeArgument: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    let factors: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let factor = argument.last.flatMap { factors[$0] }
    guard let number = Int(factor == nil ? argument : String(argument.dropLast())), number > 0
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor ?? 1)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}

/// A case of one of the library's enumerations, by its raw value.
struct EnumArgument<Value: RawRepresentable<String> & CaseIterable>: ExpressibleByArgument {
  let value: Value

  init(value: Value) { self.value = value }

  init?(argument: String) {
    guard let value = Value(rawValue: argument) else { return nil }
    self.value = value
  }

  static var allValueStrings: [String] { Value.allCases.map(\.rawValue) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
  var defaultValueDescription: String { value.rawValue }
}

/// A duration from a nanosecond to a century, in seconds.
struct SecondsArgument: ExpressibleByArgument {
  let seconds: Double

  init?(argument: String) {
    guard let number = Double(argument), (1e-9...3.2e9).contains(number) else { return nil }
    seconds = number
  }
}
