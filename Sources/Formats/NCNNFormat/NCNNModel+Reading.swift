package import Bytes

extension NCNNModel {
  /// The maximum size of a text in bytes.
  package static let byteLimit = 1 << 26

  /// Reads the text of a `.param` file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at an invalid line;
  ///   ``WeighbridgeError/Code/unsupported`` for a setting that is a string;
  ///   ``WeighbridgeError/Code/limitExceeded`` for a text that is too long.
  package init(_ bytes: [UInt8]) throws(WeighbridgeError) {
    guard bytes.count <= Self.byteLimit else {
      throw .limitExceeded("has \(bytes.count) bytes, too many for a .param file")
    }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().map {
      (number: $0 + 1, tokens: Self.tokens($1))
    }.filter { !$0.tokens.isEmpty }
    guard lines.count > 1, lines[0].tokens == [Self.magic] else {
      throw .malformed("does not begin with \(Self.magic) and counts, as a .param file does")
    }
    self.init(layers: [])
    var (names, produced, consumed) = (Set<String>(), Set<String>(), Set<String>())
    for line in lines.dropFirst(2) {
      do throws(WeighbridgeError) {
        let layer = try NCNNLayer(line.tokens)
        let invalid = layer.inputs.first {
          !produced.contains($0) || !consumed.insert($0).inserted
        }
        if let blob = invalid {
          throw .malformed(
            "reads \(blob), which no earlier layer produces or which another layer reads")
        }
        guard names.insert(layer.name).inserted,
          layer.outputs.allSatisfy({ produced.insert($0).inserted })
        else { throw .malformed("has a name that an earlier layer uses; names must be unique") }
        layers.append(layer)
      } catch { throw error.at(.line(line.number)) }
    }
    guard lines[1].tokens == ["\(layers.count)", "\(produced.count)"] else {
      let stated = lines[1].tokens.joined(separator: " and ")
      throw .malformed(
        "states \(stated) layers and blobs, but has \(layers.count) and \(produced.count)"
      ).at(.line(lines[1].number))
    }
  }

  private static func tokens(_ line: ArraySlice<UInt8>) -> [String] {
    line.split { [0x20, 0x09, 0x0D].contains($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension NCNNLayer {
  fileprivate init(_ tokens: [String]) throws(WeighbridgeError) {
    guard tokens.count >= 4, let inputs = Self.count(tokens[2]),
      let outputs = Self.count(tokens[3])
    else {
      throw .malformed(
        "is not a layer: expected a type, a name, and the numbers of inputs and outputs")
    }
    let names = tokens.dropFirst(4).prefix(inputs + outputs)
    guard names.count == inputs + outputs else {
      throw .malformed("names \(names.count) blobs, but \(inputs) and \(outputs) are stated")
    }
    for name in tokens[..<2] + names where name.utf8.count > NCNNModel.maximumNameByteCount {
      throw .malformed("a name has more than \(NCNNModel.maximumNameByteCount) bytes")
    }
    self.init(
      type: tokens[0], name: tokens[1], inputs: Array(names.prefix(inputs)),
      outputs: Array(names.suffix(outputs)))
    for token in tokens.dropFirst(4 + inputs + outputs) { try addSetting(token) }
  }

  private static func count(_ token: String) -> Int? {
    Int32(token).flatMap { $0 < 0 ? nil : Int($0) }
  }

  /// Adds a setting, written as `number=value`.
  private mutating func addSetting(_ token: String) throws(WeighbridgeError) {
    let parts = token.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int32(parts[0]).map(Int.init) else {
      throw .malformed("\(token) is not a setting (number=value)")
    }
    let isList = number <= NCNNParameter.listBase
    let id = isList ? NCNNParameter.listBase - number : number
    guard (0..<32).contains(id), parameters[id] == nil else {
      throw .malformed("\(token): the number of a setting is not unique or not 0 to 31")
    }
    var values = parts[1].split(separator: ",", omittingEmptySubsequences: false)
    if isList, Self.count(String(values.removeFirst())) != values.count {
      throw .malformed("\(token) is a list whose length differs from its count")
    }
    parameters[id] = try NCNNParameter(values.map(String.init), isList: isList || values.count > 1)
  }
}

extension NCNNParameter {
  fileprivate init(_ tokens: [String], isList: Bool) throws(WeighbridgeError) {
    let integers = tokens.compactMap { Int32($0).map(Int.init) }
    if integers.count == tokens.count {
      self = isList ? .integers(integers) : .integer(integers[0])
      return
    }
    let floats = tokens.compactMap(Float.init).filter(\.isFinite)
    guard floats.count == tokens.count else {
      throw .unsupported("the setting \(tokens.joined(separator: ",")) is not a number")
    }
    self = isList ? .floats(floats) : .float(floats[0])
  }
}
