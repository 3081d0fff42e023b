package import Bytes

extension NCNNModel {
  /// The largest text that is read, in bytes.
  package static let largestText = 1 << 26

  /// Reads the text of a `.param` file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at an invalid line;
  ///   ``WeighbridgeError/Code/unsupported`` for a setting that is a string;
  ///   ``WeighbridgeError/Code/limitExceeded`` for a text that is too long.
  package init(_ bytes: [UInt8]) throws(WeighbridgeError) {
    guard bytes.count <= Self.largestText else {
      throw .limitExceeded("has \(bytes.count) bytes, too many for a .param file")
    }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().map {
      (number: $0 + 1, words: Self.words($1))
    }.filter { !$0.words.isEmpty }
    guard lines.count > 1, lines[0].words == [Self.magic] else {
      throw .malformed("does not begin with \(Self.magic) and counts, as a .param file does")
    }
    self.init(layers: [])
    var (names, made, read) = (Set<String>(), Set<String>(), Set<String>())
    for line in lines.dropFirst(2) {
      do throws(WeighbridgeError) {
        let layer = try NCNNLayer(line.words)
        let unknown = layer.inputs.first { !made.contains($0) || !read.insert($0).inserted }
        if let blob = unknown {
          throw .malformed("reads \(blob), which no earlier layer makes, or another one reads")
        }
        guard names.insert(layer.name).inserted,
          layer.outputs.allSatisfy({ made.insert($0).inserted })
        else { throw .malformed("has a name that an earlier layer uses") }
        layers.append(layer)
      } catch { throw error.at(.line(line.number)) }
    }
    guard lines[1].words == ["\(layers.count)", "\(made.count)"] else {
      let stated = lines[1].words.joined(separator: " and ")
      throw .malformed(
        "states \(stated) layers and blobs, and has \(layers.count) and \(made.count)"
      ).at(.line(lines[1].number))
    }
  }

  private static func words(_ line: ArraySlice<UInt8>) -> [String] {
    line.split { [0x20, 0x09, 0x0D].contains($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension NCNNLayer {
  fileprivate init(_ words: [String]) throws(WeighbridgeError) {
    guard words.count >= 4, let inputs = Self.count(words[2]), let outputs = Self.count(words[3])
    else {
      throw .malformed("is no layer: a type, a name, and how many blobs it reads and makes")
    }
    let names = words.dropFirst(4).prefix(inputs + outputs)
    guard names.count == inputs + outputs else {
      throw .malformed("names \(names.count) blobs, and \(inputs) and \(outputs) are stated")
    }
    for name in words[..<2] + names where name.utf8.count > NCNNModel.longestName {
      throw .malformed("a name has more than \(NCNNModel.longestName) bytes")
    }
    self.init(
      type: words[0], name: words[1], inputs: Array(names.prefix(inputs)),
      outputs: Array(names.suffix(outputs)))
    for word in words.dropFirst(4 + inputs + outputs) { try add(word) }
  }

  private static func count(_ word: String) -> Int? {
    Int32(word).flatMap { $0 < 0 ? nil : Int($0) }
  }

  /// Adds a setting.
  private mutating func add(_ word: String) throws(WeighbridgeError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int32(parts[0]).map(Int.init) else {
      throw .malformed("\(word) is no setting (number=value)")
    }
    let isList = number <= NCNNParameter.listBase
    let id = isList ? NCNNParameter.listBase - number : number
    guard (0..<32).contains(id), parameters[id] == nil else {
      throw .malformed("\(word): each setting has a number of its own, 0 to 31")
    }
    var values = parts[1].split(separator: ",", omittingEmptySubsequences: false)
    if isList, Self.count(String(values.removeFirst())) != values.count {
      throw .malformed("\(word) is no list of as many values as it states")
    }
    parameters[id] = try NCNNParameter(values.map(String.init), isList: isList || values.count > 1)
  }
}

extension NCNNParameter {
  fileprivate init(_ words: [String], isList: Bool) throws(WeighbridgeError) {
    let integers = words.compactMap { Int32($0).map(Int.init) }
    if integers.count == words.count {
      self = isList ? .integers(integers) : .integer(integers[0])
      return
    }
    let reals = words.compactMap(Float.init).filter(\.isFinite)
    guard reals.count == words.count else {
      throw .unsupported("the setting \(words.joined(separator: ",")) is no number")
    }
    self = isList ? .reals(reals) : .real(reals[0])
  }
}
