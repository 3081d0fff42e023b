import ConversionCore
import GraphIR

/// The search for blocks that a network repeats.
struct PythonBlocks {
  /// The most units without branches in a block.
  private static let unitLimit = 6
  /// The lines that a class has besides its members and statements.
  private static let classLineCount = 10
  /// The fewest lines that a class must save.
  private static let leastSaving = 4

  private let network: PythonClass
  private let regions: PythonRegions
  /// How many statements read each member.
  private var memberReaders: [Int: Int] = [:]

  init(_ network: PythonClass) {
    self.network = network
    regions = PythonRegions(network.methods[0])
    for position in network.methods[0].statements.flatMap(\.expression.members) {
      memberReaders[position, default: 0] += 1
    }
  }

  /// The occurrences of each block, of which none overlap, in the order of the network.
  func occurrences() -> [[PythonRegion]] {
    var candidates: [String: [PythonRegion]] = [:]
    for region in candidateRegions() {
      guard let pattern = pattern(region) else { continue }
      let last = candidates[pattern]?.last
      if let last, last.range.upperBound > region.range.lowerBound { continue }
      candidates[pattern, default: []].append(region)
    }
    var (taken, result) = (Set<Int>(), [[PythonRegion]]())
    while true {
      let best = candidates.map { pattern, all in
        (pattern, regions: all.filter { taken.isDisjoint(with: $0.range) })
      }.max { first, second in
        let savings = (saving(first.regions), saving(second.regions))
        return savings.0 == savings.1 ? first.0 > second.0 : savings.0 < savings.1
      }
      guard let best, saving(best.regions) >= Self.leastSaving else { break }
      for region in best.regions { taken.formUnion(region.range) }
      result.append(best.regions)
    }
    return result.sorted { $0[0].range.lowerBound < $1[0].range.lowerBound }
  }

  /// Every unit with branches, and every short sequence of the others.
  private func candidateRegions() -> [PythonRegion] {
    var result: [PythonRegion] = []
    let units = regions.units
    for start in units.indices {
      result.append(units[start].region)
      guard !units[start].hasBranches else { continue }
      var end = units[start].region.range.upperBound
      for next in units[(start + 1)...].prefix(Self.unitLimit - 1) {
        guard !next.hasBranches, next.region.range.lowerBound == end else { break }
        end = next.region.range.upperBound
        if let region = regions.region(units[start].region.range.lowerBound..<end) {
          result.append(region)
        }
      }
    }
    return result
  }

  /// How many lines a class for regions saves.
  private func saving(_ occurrences: [PythonRegion]) -> Int {
    guard occurrences.count > 1, let first = occurrences.first else { return 0 }
    let statements = network.methods[0].statements[first.range]
    let members = Set(statements.flatMap(\.expression.members))
    let lineCount = members.count + max(1, statements.count(where: \.isLayer))
    return occurrences.count * (lineCount - 2) - Self.classLineCount - lineCount
  }

  /// What two regions have in common that one class can be; `nil` for a region that cannot be a
  /// submodule, because others use a part of it.
  private func pattern(_ region: PythonRegion) -> String? {
    var values = [region.entry: "0"]
    var members: [Int] = []
    var text = ""
    for statement in network.methods[0].statements[region.range] {
      text += statement.expression.text { piece in
        switch piece {
        case .value(let name): return "<\(values[name] ?? "?")>"
        case .member(let position):
          if !members.contains(position) { members.append(position) }
          return "self.\(members.firstIndex(of: position) ?? 0)"
        case .weight(let operand): return operand.name
        case .text(let text): return text
        }
      }
      for output in statement.outputs { values[output] = "\(values.count)" }
      text += "\n"
    }
    let reads = network.methods[0].statements[region.range].flatMap(\.expression.members)
    for member in members {
      guard reads.count(where: { $0 == member }) == memberReaders[member] else { return nil }
      text += Self.pattern(network.members[member]) + "\n"
    }
    return text
  }

  /// A constructor without the numbers that may differ.
  private static func pattern(_ member: PythonMember) -> String {
    guard case .module(let type, let arguments) = member.kind else {
      return member.constructor.replacing(member.name, with: "")
    }
    let texts = arguments.map { "\($0.label)=\(Int($0.value) == nil ? $0.value : "#")" }
    return "\(type)(\(texts.joined(separator: ", ")))\(member.isConstant ? " constant" : "")"
  }
}
