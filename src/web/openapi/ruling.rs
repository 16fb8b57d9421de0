//! The body of a ruling: what it may hold, for the document. The forms of rulings say it, by which they are read.

use std::borrow::Cow;

use serde_json::json;
use utoipa::openapi::schema::{
    AdditionalProperties::FreeForm, AnyOfBuilder, ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema,
    SchemaType, Type,
};
use utoipa::openapi::{Discriminator, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use adoube_core::ruling::{FORMS, Field, Form, Shape, told};

/// `{"name": …, arguments}` of any ruling.
pub(in crate::web) struct RulingBody;

fn schema(field: &Field) -> RefOr<Schema> {
    let described = |object: ObjectBuilder| {
        let about = Some(field.kind.about()).filter(|about| !about.is_empty());
        Schema::from(object.description(about))
    };
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let integer = || ObjectBuilder::new().schema_type(Type::Integer);
    let any = |of: [Schema; 2]| {
        let any = of.into_iter().fold(AnyOfBuilder::new(), AnyOfBuilder::item);
        Schema::from(any.description(Some(field.kind.about())).build())
    };
    match field.shape {
        Shape::Text => described(text()),
        Shape::Choice(choices) => described(text().enum_values(Some(choices.iter().copied()))),
        Shape::Whole => described(integer().minimum(Some(0))),
        Shape::Signed => described(integer()),
        Shape::Event => any([integer().minimum(Some(0)).into(), text().into()]),
        Shape::Amount => {
            described(ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::Integer, Type::String])))
        }
        Shape::Names => any([text().into(), ArrayBuilder::new().items(text()).into()]),
    }
    .into()
}

impl ToSchema for RulingBody {
    fn name() -> Cow<'static, str> {
        "Ruling".into()
    }

    /// Each ruling has a name of its own, by which programs that write clients call it.
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let body = |form| ruling(form, str::to_owned).additional_properties(Some(FreeForm::<Schema>(false)));
        schemas.extend(FORMS.iter().map(|form| (named(form), body(form).into())));
    }
}

/// What a ruling is called in the document.
fn named(form: &Form) -> String {
    format!("ruling.{}", form.name)
}

impl PartialSchema for RulingBody {
    fn schema() -> RefOr<Schema> {
        let body = |form| Ref::from_schema_name(named(form));
        let rulings = FORMS.iter().fold(OneOfBuilder::new(), |rulings, form| rulings.item(body(form)));
        let by_name = FORMS.iter().map(|form| (form.name, format!("#/components/schemas/{}", named(form))));
        let rulings = rulings.discriminator(Some(Discriminator::with_mapping("name", by_name)));
        let examples = [
            json!({"name": "result", "value": "1-0"}),
            json!({"name": "note", "text": "Black asks for water"}),
        ];
        rulings.description(Some("A ruling by its name, with its arguments")).examples(examples).into()
    }
}

/// Any ruling among the fields of the event that tells of it.
pub(super) fn among_fields() -> RefOr<Schema> {
    let rulings = FORMS.iter().fold(OneOfBuilder::new(), |rulings, form| rulings.item(ruling(form, told)));
    rulings.description(Some("The ruling by its name, with its arguments")).into()
}

/// A ruling, its arguments spelled in this way.
fn ruling(form: &Form, spelled: impl Fn(&str) -> String) -> ObjectBuilder {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let text_or_null = SchemaType::from_iter([Type::String, Type::Null]);
    let by = "Of a pause, who stopped the clocks; otherwise it is whoever is logged in";
    let mut object = ObjectBuilder::new()
        .property("name", text().enum_values(Some([form.name])))
        .required("name")
        .property("by", ObjectBuilder::new().schema_type(text_or_null).description(Some(by)));
    for field in form.fields {
        object = if field.is_optional {
            // Nothing is as good as null.
            let null = ObjectBuilder::new().schema_type(Type::Null);
            object.property(spelled(field.name), AnyOfBuilder::new().item(schema(field)).item(null))
        } else {
            object.property(spelled(field.name), schema(field)).required(spelled(field.name))
        };
    }
    object
}
