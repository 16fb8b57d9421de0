//! What server-sent events hold, a schema a type: `event.move-made`.

use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{ComponentsBuilder, OpenApi, OpenApiBuilder, RefOr};

use adoube_core::event::finding::Schema as Field;
use adoube_core::event::{public, said};
use adoube_rules::laws::Name;

/// The schemas of all events of a listener: the desk's, or those that may be public.
pub(super) fn events(is_desk: bool) -> OpenApi {
    let mut components = ComponentsBuilder::new();
    for &name in Name::ALL {
        let fields = if is_desk { Some(said::schema(name)) } else { public::schema(name) };
        let Some(fields) = fields else { continue };
        let event = event(name, is_desk, fields, &mut components);
        components = components.schema(format!("event.{name}"), event);
    }
    OpenApiBuilder::new().components(Some(components.build())).build()
}

/// The envelope, and what the event says.
fn event(name: Name, is_desk: bool, fields: Vec<Field>, components: &mut ComponentsBuilder) -> RefOr<Schema> {
    let text =
        |description: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    let if_any = |description: &str| {
        let types = SchemaType::from_iter([Type::String, Type::Null]);
        ObjectBuilder::new().schema_type(types).description(Some(description))
    };
    let number =
        |of: Type, description: &str| ObjectBuilder::new().schema_type(of).description(Some(description));
    let (key, about) = if is_desk {
        ("seq", "Number in the journal, gapless over all boards")
    } else {
        ("id", "Number among public events, gapless")
    };
    let mut own = ObjectBuilder::new()
        .property(key, number(Type::Integer, about))
        .property("at", text("When it was decided, RFC 3339"))
        .property("t_ms", number(Type::Number, "The same in milliseconds since the board was opened"))
        .property("board", text("Its board; empty for remarks of the journal on itself"))
        .property("game", if_any("Its game, if there is one"))
        .property("type", text("Its name").enum_values(Some([name.as_str()])))
        .property("kind", text("What kind of name that is").enum_values(Some([name.row().kind.as_str()])));
    for key in [key, "at", "t_ms", "board", "type", "kind"] {
        own = own.required(key);
    }
    let mut whole = AllOfBuilder::new();
    for Field { name, is_required, schema, named } in fields {
        let taken = std::mem::take(components);
        *components = named.into_iter().fold(taken, |all, (name, schema)| all.schema(name, schema));
        match name {
            Some(name) => {
                own = own.property(name, schema);
                if is_required {
                    own = own.required(name);
                }
            }
            None => whole = whole.item(schema),
        }
    }
    if name == Name::Ruled {
        whole = whole.item(super::ruling::among_fields());
    }
    whole.item(own).into()
}
