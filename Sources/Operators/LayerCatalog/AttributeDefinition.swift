package import Bytes
import GraphIR

/// An attribute of an operator.
package struct AttributeDefinition: Sendable {
  /// The type of its value.
  package enum ValueType: String, Sendable {
    case integer, real, boolean, string, integers, reals, strings
  }

  /// A value of a string attribute, and what it means.
  package struct Choice: Sendable {
    package let value: String
    package let meaning: String
  }

  /// The name in files.
  package let name: String
  /// The type of its value.
  package let type: ValueType
  /// What it says.
  package let meaning: String
  /// What its value must fulfil.
  package let constraints: [Constraint]
  /// The possible values of a string attribute; empty when they are no list.
  package let choices: [Choice]
  /// Whether the operator it names has attributes of its own here, under `name.`.
  package let namesActivation: Bool
  /// Whether it is there.
  package private(set) var presence = Presence.always
  /// Where it is explained, if it is.
  package private(set) var notion: Notion?
}

/// What an attribute's value must fulfil; in a list each entry, unless it is about the list.
package enum Constraint: Sendable, Hashable {
  case atLeast(Double)
  case above(Double)
  case atMost(Double)
  /// Not below, above or not above another attribute's value.
  case atLeastThat(of: String)
  case aboveThat(of: String)
  case atMostThat(of: String)
  /// Neither NaN nor an infinity.
  case finite
  case notNaN
  case notZero
  /// The number of entries.
  case minimumCount(Int)
  case maximumCount(Int)
  /// As many entries as another list has, and so many more.
  case countOf(String, plus: Int)
  /// Each entry larger than the one before it.
  case rising
  /// No entry smaller than the one before it.
  case notFalling
  /// No two entries are equal.
  case unique
  /// Each number from 0 to one less than the count, once.
  case permutation
  /// This entry stands once at most.
  case atMostOnce(Int)
  /// In words.
  case rule(String)

  /// As many entries as another list has.
  package static func countOf(_ name: String) -> Constraint { .countOf(name, plus: 0) }

  /// The largest size of a window, a stride and the like.
  package static let sizeLimit = Constraint.atMost(Double(1 << 24))
}

extension AttributeDefinition {
  private init(
    _ name: String, _ type: ValueType, _ meaning: String, _ constraints: [Constraint],
    choices: [Choice] = [], namesActivation: Bool = false
  ) {
    self.name = name
    self.type = type
    self.meaning = meaning
    self.constraints = constraints
    self.choices = choices
    self.namesActivation = namesActivation
  }

  package static func integer(
    _ name: String, _ meaning: String, _ constraints: Constraint...
  ) -> AttributeDefinition {
    AttributeDefinition(name, .integer, meaning, constraints)
  }

  package static func real(
    _ name: String, _ meaning: String, _ constraints: Constraint...
  ) -> AttributeDefinition {
    AttributeDefinition(name, .real, meaning, constraints)
  }

  package static func boolean(
    _ name: String, _ meaning: String, _ constraints: Constraint...
  ) -> AttributeDefinition {
    AttributeDefinition(name, .boolean, meaning, constraints)
  }

  package static func string(
    _ name: String, _ meaning: String, _ constraints: Constraint...
  ) -> AttributeDefinition {
    AttributeDefinition(name, .string, meaning, constraints)
  }

  package static func integers(
    _ name: String, _ meaning: String, _ constraints: Constraint...
  ) -> AttributeDefinition {
    AttributeDefinition(name, .integers, meaning, constraints)
  }

  package static func reals(
    _ name: String, _ meaning: String, _ constraints: Constraint...
  ) -> AttributeDefinition {
    AttributeDefinition(name, .reals, meaning, constraints)
  }

  package static func strings(
    _ name: String, _ meaning: String, _ constraints: Constraint...
  ) -> AttributeDefinition {
    AttributeDefinition(name, .strings, meaning, constraints)
  }

  /// A string that is one of the values of a type, or of some of them.
  package static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Value.Type, _ meaning: String, among values: [Value]? = nil,
    _ words: (Value) -> String
  ) -> AttributeDefinition {
    AttributeDefinition(
      name, .string, meaning, [],
      choices: (values ?? Array(type.allCases)).map {
        Choice(value: $0.rawValue, meaning: words($0))
      })
  }

  /// The element type of an output, one of some.
  package static func elementType(
    _ types: [ElementType] = ElementType.allCases
  ) -> AttributeDefinition {
    AttributeDefinition(
      "element_type", .string, "The output's element type.", [],
      choices: types.map { Choice(value: $0.rawValue, meaning: "") })
  }

  /// An activation inside a cell, with its own attributes under `name.`.
  ///
  /// - Parameter takesLanes: Whether it may work along the units as well as element by element.
  package static func activation(
    _ name: String, _ meaning: String, takesLanes: Bool = true
  ) -> AttributeDefinition {
    var kinds: [String] = []
    for type in Catalog.all {
      let isLanewise = takesLanes && type is any LanewiseOperator.Type
      if isLanewise || type is any ElementwiseOperator.Type { kinds.append(type.kind) }
    }
    return AttributeDefinition(
      name, .string, meaning, [],
      choices: kinds.sorted().map { Choice(value: $0, meaning: "") }, namesActivation: true
    ).explained(by: .activations)
  }

  /// With a presence.
  package func present(_ presence: Presence) -> AttributeDefinition {
    var result = self
    result.presence = presence
    return result
  }

  /// With the notion that explains it.
  package func explained(by notion: Notion) -> AttributeDefinition {
    var result = self
    result.notion = notion
    return result
  }
}

// Attributes of many operators.
extension AttributeDefinition {
  package static func axis(
    _ meaning: String = "The axis.", name: String = "axis", atLeast minimum: Int = 0
  ) -> AttributeDefinition {
    .integer(name, meaning, .atLeast(Double(minimum))).explained(by: .axes)
  }

  package static func axes(_ meaning: String, atLeast count: Int = 1) -> AttributeDefinition {
    AttributeDefinition(
      "axes", .integers, meaning,
      [.atLeast(0), .rising] + (count > 0 ? [.minimumCount(count)] : [])
    ).explained(by: .axes)
  }

  package static var layout: AttributeDefinition {
    .choice("layout", DataLayout.self, "The order of the axes.") {
      switch $0 {
      case .channelsLast: "`[batch, spatial..., channels]`"
      case .channelsFirst: "`[batch, channels, spatial...]`"
      }
    }.explained(by: .layouts)
  }

  package static var keepDims: AttributeDefinition {
    .boolean("keepdims", "Whether the output keeps the reduced axes, with size 1.")
  }

  package static var epsilon: AttributeDefinition {
    .real("epsilon", "What is added under the root.", .atLeast(0), .finite)
  }

  /// The sizes of an output's spatial axes.
  package static func spatialSizes(_ name: String) -> AttributeDefinition {
    .integers(
      name, "The output's size along each spatial axis.", .atLeast(1), .sizeLimit, .minimumCount(1))
  }
}
